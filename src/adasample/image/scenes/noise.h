// SPDX-License-Identifier: Apache-2.0
// Noise for scenes and views: white, for sensors; coloured, for textures.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "adasample/base/random/rng.h"

namespace adasample {

// Nearly a standard normal number: the sum of four 16-bit uniform numbers, scaled; never beyond +-3.5. Costs a few
// instructions where Box-Muller costs a logarithm and a cosine.
inline float quick_normal(uint64_t bits) {
  const auto sum = static_cast<int64_t>((bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48));
  return static_cast<float>(sum - 2 * 0xffff) * (1.7320508f / 65536.0f);
}

// A periodic texture of mean 0 and variance 1 whose amplitude spectrum falls like 1 / f^exponent.
class NoiseTile {
 public:
  static constexpr int kSize = 256;

  // Two independent tiles from one Fourier transform (its real and its imaginary part).
  static std::array<NoiseTile, 2> make_pair(RngKey key, double exponent);

  // Bilinear; x and y in tile pixels, any value of magnitude below 2^30.
  float at(float x, float y) const;

 private:
  std::vector<float> values_;  // (kSize, kSize)
};

}  // namespace adasample
