// SPDX-License-Identifier: Apache-2.0
// The permutation of feistel_grid.h with its key. Apart from it because nvcc does not get through base/error.h.
#pragma once

#include <cstdint>

#include "adasample/base/error.h"
#include "adasample/base/random/feistel_grid.h"

namespace adasample {

class FeistelPermutation {
 public:
  FeistelPermutation(uint64_t n, RngKey key) : grid_(FeistelGrid::of(checked(n))), key_(key) {}

  uint64_t size() const { return grid_.n; }

  // Requires x < size().
  uint64_t image(uint64_t x) const { return grid_.image(x, key_); }

 private:
  static uint64_t checked(uint64_t n) {
    ADA_ASSERT(n >= 1);
    return n;
  }

  FeistelGrid grid_;
  RngKey key_;
};

}  // namespace adasample
