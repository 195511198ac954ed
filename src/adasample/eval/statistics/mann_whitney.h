// SPDX-License-Identifier: Apache-2.0
// Are the values of a smaller than those of b? The one-sided Mann-Whitney test, and Cliff's delta.
//   U = #{a_i > b_j} + #{a_i = b_j} / 2: 0 when all of a lies below b, n m when all lies above
//   exact       P(U' <= U) over all ways to deal the pooled values out to a and b, ties as they are
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
  std::optional<double> p_exact;  // none where n m exceeds kMostExactPairs or n + m kMostExactValues
  double p_asymptotic = 1;        // 1 when all values are equal
  double cliffs_delta = 0;
  int64_t tie_sum = 0;  // T
};

inline constexpr int64_t kMostExactPairs = 2500, kMostExactValues = 1000;  // 50 against 50: a tenth of a second

// "a is smaller". For "a is larger" exchange the two. Throws Error when one is empty or holds a NaN.
RankTest mann_whitney(std::span<const double> a, std::span<const double> b);

}  // namespace adasample
