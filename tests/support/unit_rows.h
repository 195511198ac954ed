// SPDX-License-Identifier: Apache-2.0
// Rows as descriptors are, for tests of searches among them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "adasample/base/random/rng.h"

namespace adasample::testing {

// Every row to norm 1.
inline void to_unit(std::vector<float>& rows, size_t dimension) {
  for (size_t at = 0; at < rows.size(); at += dimension) {
    double norm = 0;
    for (size_t k = 0; k < dimension; ++k) norm += double{rows[at + k]} * rows[at + k];
    for (size_t k = 0; k < dimension; ++k) rows[at + k] /= static_cast<float>(std::sqrt(norm));
  }
}

// Rows of norm 1; every third of `b` is a noisy copy of one of `a`, and some are copies to the last bit.
struct TwoSets {
  std::vector<float> a, b;

  TwoSets(size_t n, size_t m, size_t dimension, uint64_t seed) : a(n * dimension), b(m * dimension) {
    RngStream rng(RngKey(seed, Draw::kPairs));
    for (float& value : a) value = static_cast<float>(rng.normal());
    to_unit(a, dimension);
    for (size_t j = 0; j < m; ++j) {
      const float* near = j % 3 == 0 ? a.data() + j * 7 % n * dimension : nullptr;
      for (size_t k = 0; k < dimension; ++k) {
        b[j * dimension + k] = static_cast<float>(near == nullptr ? rng.normal() : near[k] + 0.04 * rng.normal());
      }
    }
    to_unit(b, dimension);
    for (size_t j = 5; j < m; j += 50) std::copy_n(b.data() + (j - 5) * dimension, dimension, b.data() + j * dimension);
  }
};

}  // namespace adasample::testing
