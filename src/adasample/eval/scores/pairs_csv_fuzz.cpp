// SPDX-License-Identifier: Apache-2.0
// Any bytes are read or refused; what was read can be scored, and the scores are fractions.
#include <cstdlib>

#include "adasample/base/error.h"
#include "adasample/eval/scores/pairs_csv.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace adasample;
  LabelledDistances pairs;
  try {
    pairs = parse_pairs_csv({reinterpret_cast<const char*>(data), size}, "fuzz");
  } catch (const Error&) {
    return 0;
  }
  const PairScores scores = score_pairs(pairs.labels, pairs.distances);
  const auto is_fraction = [](double value) { return value >= 0 && value <= 1 + 1e-9; };
  if (!(scores.fpr95.low <= scores.fpr95.value && scores.fpr95.value <= scores.fpr95.high)) std::abort();
  for (const double value : {scores.fpr95.low, scores.fpr95.high, scores.ap, scores.ap_trapezoid, scores.auc}) {
    if (!is_fraction(value)) std::abort();
  }
  return 0;
}
