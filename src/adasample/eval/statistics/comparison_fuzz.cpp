// SPDX-License-Identifier: Apache-2.0
// Two result files compared, as `eval compare` does. Input: a byte, then the two texts, between them a zero byte.
#include <cmath>
#include <nlohmann/json.hpp>

#include "adasample/base/error.h"
#include "adasample/eval/statistics/comparison.h"
#include "adasample/eval/statistics/result_values.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace adasample;
  if (size < 1) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const size_t middle = std::min(text.find('\0'), text.size());
  const bool whole = (data[0] & 1) != 0, paired = (data[0] & 2) != 0;
  try {
    const Results results = {{"a", parse_result(text.substr(0, middle), "a")},
                             {"b", parse_result(text.substr(std::min(middle + 1, text.size())), "b")}};
    differing_settings(results);
    const ResultRuns a = result_runs({"a"}, results, "mma.3", whole), b = result_runs({"b"}, results, "mma.3", whole);
    const Pairing pairing = pair_runs(a.seeds, b.seeds, paired);
    ComparisonOptions options;
    options.bootstrap.resamples = 1000;
    const Comparison found = compare_runs(a.values, in_order(b.values, pairing.b_of_a), pairing.paired, options);
    if (!(found.p_two_sided >= 0 && found.p_two_sided <= 1)) __builtin_trap();
  } catch (const Error& error) {
    if (error.kind() == Error::Kind::kBug) __builtin_trap();
  }
  return 0;
}
