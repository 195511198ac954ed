// SPDX-License-Identifier: Apache-2.0
// A keyed pseudo-random permutation of [0, n), evaluated element by element and without memory: image(j) for
// j = 0..m-1 are m distinct elements drawn uniformly, the same on every device and rank.
//
// Feistel network on the grid a x b with a = ceil(sqrt n), b = ceil(n / a): x = left * b + right; sixteen rounds add a
// hash of one half to the other, modulo a or b (eight leave pairs of images of a dozen elements uneven by some 5 %).
// The grid exceeds n by less than a cells; an image that falls among those is permuted again (cycle walking), which
// keeps it a permutation of [0, n) and takes at most a steps.
#pragma once

#include <cstdint>

#include "adasample/base/error.h"
#include "adasample/base/rng.h"

namespace adasample {

class FeistelPermutation {
 public:
  FeistelPermutation(uint64_t n, RngKey key) : n_(n), key_(key) {
    ADA_ASSERT(n >= 1);
    a_ = static_cast<uint64_t>(std::sqrt(static_cast<double>(n)));
    while (a_ * a_ < n) ++a_;
    b_ = (n + a_ - 1) / a_;
  }

  uint64_t size() const { return n_; }

  // Requires x < size().
  uint64_t image(uint64_t x) const {
    do {
      x = once(x);
    } while (x >= n_);
    return x;
  }

 private:
  static constexpr int kRounds = 16;

  uint64_t once(uint64_t x) const {
    uint64_t left = x / b_, right = x % b_;
    for (int round = 0; round < kRounds; round += 2) {
      left = (left + key_.at(static_cast<uint64_t>(round)).at(right).bits() % a_) % a_;
      right = (right + key_.at(static_cast<uint64_t>(round) + 1).at(left).bits() % b_) % b_;
    }
    return left * b_ + right;
  }

  uint64_t n_, a_, b_;
  RngKey key_;
};

}  // namespace adasample
