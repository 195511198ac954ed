// SPDX-License-Identifier: Apache-2.0
// How far two programs that run the same network are apart, over descriptors of the same patches.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace adasample {

struct Agreement {
  double largest_difference = 0;  // of any number
  // Between the two descriptors of a patch, degrees, 0 to 180.
  double p99_angle = 0;  // 99 % of the patches stay below or at it
  double largest_angle = 0;
};

// a, b: (n, dimension), n >= 1. Throws Error for a number that is not finite, naming `a_name` or `b_name` and the row.
Agreement compare_descriptors(std::span<const float> a, std::span<const float> b, int dimension,
                              const std::string& a_name, const std::string& b_name);

// FPR95 where rows 2c and 2c + 1 are of one class: a positive each class, and as negatives its first row with the
// second row of the classes after it, 31 at most, the last class being followed by the first. Two classes at least.
double paired_fpr95(std::span<const float> rows, int dimension);

}  // namespace adasample
