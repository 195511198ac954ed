// SPDX-License-Identifier: Apache-2.0
// Do the values of a differ from those of b, pair by pair? The sign-flip test on the mean of a[i] - b[i]: if the two
// sides are alike, each difference could as well have had the other sign. p is the share of the sign patterns whose
// mean is as extreme as the one found. Differences of 0 have no sign and change nothing.
#pragma once

#include <cstdint>
#include <span>

namespace adasample {

struct FlipTest {
  int64_t pairs = 0;
  double difference = 0;  // mean of a[i] - b[i]
  double p_smaller = 1;   // share of patterns with a mean as small: "a is smaller than b"
  double p_larger = 1;
  double p_two_sided = 1;  // share with a mean as far from 0
  double smallest_p = 1;   // the smallest p_two_sided that so many pairs can reach
  bool exact = true;       // all patterns, or kRandomFlips random ones and the one found
};

inline constexpr int64_t kMostExactFlips = 20;  // pairs: 2^20 patterns
inline constexpr int64_t kRandomFlips = 100'000;

// a[i] and b[i] belong together. Means that differ by no more than the rounding of the values count as equal. Random
// patterns are a function of seed and their number. Throws Error when the two differ in length, are empty or hold a
// value that is not finite.
FlipTest flip_test(std::span<const double> a, std::span<const double> b, uint64_t seed = 0);

// smallest_p of so many pairs: 2 / 2^pairs where all patterns are counted, else 1 / (kRandomFlips + 1).
double smallest_flip_p(int64_t pairs);

}  // namespace adasample
