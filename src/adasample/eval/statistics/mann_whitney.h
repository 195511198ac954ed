// SPDX-License-Identifier: Apache-2.0
// Are the values of a smaller than those of b, or different? The Mann-Whitney test, and Cliff's delta.
//   U = #{a_i > b_j} + #{a_i = b_j} / 2: 0 when all of a lies below b, n m when all lies above
//   exact       P(U' <= U) over all ways to deal the pooled values out to a and b, ties as they are
//   two-sided   twice the smaller p of "a is smaller" and "a is larger", 1 at most
//   asymptotic  Phi((U - n m / 2 + 1/2) / s), the 1/2 for continuity; N = n + m, T = sum of t^3 - t over tied groups:
//               s^2 = n m / 12 (N + 1 - T / (N (N - 1)))
// Cliff's delta is P(a > b) - P(a < b) = 2 U / (n m) - 1, in [-1, 1].
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace adasample {

struct RankTest {
  double u = 0;
  // "a is smaller". The exact ones are none where n m exceeds kMostExactPairs or n + m kMostExactValues, the
  // asymptotic ones 1 when all values are equal.
  std::optional<double> p_exact;
  double p_asymptotic = 1;
  std::optional<double> p_exact_larger;  // "a is larger": those of b against a
  double p_asymptotic_larger = 1;
  double p_two_sided = 1;  // exact where p_exact is there, else asymptotic
  double smallest_p = 1;   // the smallest p_two_sided, exact, that so many values can reach
  double cliffs_delta = 0;
  int64_t tie_sum = 0;  // T
};

inline constexpr int64_t kMostExactPairs = 2500, kMostExactValues = 1000;  // 50 against 50: a tenth of a second

// Throws Error when one is empty or holds a NaN.
RankTest mann_whitney(std::span<const double> a, std::span<const double> b);

// smallest_p of n values against m: 2 / (n + m over n).
double smallest_rank_p(int64_t n, int64_t m);

}  // namespace adasample
