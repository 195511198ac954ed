// SPDX-License-Identifier: Apache-2.0
// Any bytes are read as a result file or refused; a value that comes out pairs with itself.
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "adasample/base/error.h"
#include "adasample/eval/statistics/result_values.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace adasample;
  try {
    const nlohmann::json result = parse_result({reinterpret_cast<const char*>(data), size}, "fuzz");
    const auto values = sequence_values(result, "mma.3", "fuzz");
    const auto [a, b] = pair_by_sequence(values, values);
    if (a.size() != values.size() || a != b) std::abort();
    result_value(result, "mma.3", "fuzz");
  } catch (const Error&) {
  }
  return 0;
}
