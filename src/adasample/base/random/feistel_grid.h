// SPDX-License-Identifier: Apache-2.0
// A keyed pseudo-random permutation of [0, n), evaluated element by element and without memory: image(j) for
// j = 0..m-1 are m distinct elements drawn uniformly, the same on every device and rank.
//
// Feistel network on the grid a x b with a = ceil(sqrt n), b = ceil(n / a): x = left * b + right; sixteen rounds add a
// hash of one half to the other, modulo a or b (eight leave pairs of images of a dozen elements uneven by some 5 %).
// The grid exceeds n by less than a cells; an image that falls among those is permuted again (cycle walking), which
// keeps it a permutation of [0, n) and takes at most a steps.
#pragma once

#include <cmath>
#include <cstdint>

#include "adasample/base/device_code.h"
#include "adasample/base/random/rng.h"

namespace adasample {

struct FeistelGrid {
  uint64_t n, a, b;

  // Requires n >= 1.
  ADA_DEVICE static FeistelGrid of(uint64_t n) {
    auto a = static_cast<uint64_t>(sqrt(static_cast<double>(n)));
    while (a * a < n) ++a;
    return {n, a, (n + a - 1) / a};
  }

  // Requires x < n.
  ADA_DEVICE uint64_t image(uint64_t x, RngKey key) const {
    do {
      x = once(x, key);
    } while (x >= n);
    return x;
  }

 private:
  static constexpr int kRounds = 16;

  ADA_DEVICE uint64_t once(uint64_t x, RngKey key) const {
    uint64_t left = x / b, right = x % b;
    for (int round = 0; round < kRounds; round += 2) {
      left = (left + key.at(static_cast<uint64_t>(round)).at(right).bits() % a) % a;
      right = (right + key.at(static_cast<uint64_t>(round) + 1).at(left).bits() % b) % b;
    }
    return left * b + right;
  }
};

}  // namespace adasample
