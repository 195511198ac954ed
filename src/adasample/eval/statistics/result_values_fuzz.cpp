// SPDX-License-Identifier: Apache-2.0
// Any bytes are read as a result file or refused; what is read of its sequences is read of its run.
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "adasample/base/error.h"
#include "adasample/eval/statistics/result_values.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace adasample;
  try {
    const Results results = {{"fuzz", parse_result({reinterpret_cast<const char*>(data), size}, "fuzz")}};
    const ResultRuns run = result_runs({"fuzz"}, results, "mma.3", false);
    if (run.values.sequences.at(0) != sequence_values(results.at("fuzz"), "mma.3", "fuzz")) std::abort();
    result_runs({"fuzz"}, results, "mma.3", true);
  } catch (const Error&) {
  }
  return 0;
}
