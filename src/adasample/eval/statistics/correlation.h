// SPDX-License-Identifier: Apache-2.0
// Pearson's correlation: sum (a - mean a)(b - mean b) / sqrt(sum (a - mean a)^2 sum (b - mean b)^2), in [-1, 1].
#pragma once

#include <span>

namespace adasample {

// NaN where one of them has fewer than two different values. Both have the same length.
double pearson(std::span<const double> a, std::span<const double> b);

}  // namespace adasample
