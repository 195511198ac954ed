// SPDX-License-Identifier: Apache-2.0
// Any text is read as an experiment's results or refused; what is read can be shown in every form.
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "adasample/base/error.h"
#include "adasample/experiment/grid/results.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace adasample;
  try {
    const ExperimentResults results = parse_results({reinterpret_cast<const char*>(data), size}, "fuzz");
    if (results.html().empty() || results.text().empty() || results.markdown().empty()) std::abort();
  } catch (const Error&) {
  }
  return 0;
}
