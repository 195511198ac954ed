// SPDX-License-Identifier: Apache-2.0
// The two 16-bit float formats in which weights travel, widened to float; every value is kept exactly.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace adasample {

// IEEE binary16: sign, 5 bits of exponent (bias 15), 10 bits of fraction.
inline float float_from_half(uint16_t half) {
  const int exponent = half >> 10 & 0x1F;
  const auto fraction = static_cast<float>(half & 0x3FF);
  float magnitude;
  if (exponent == 0) {  // zero and subnormals
    magnitude = std::ldexp(fraction, -24);
  } else if (exponent == 0x1F) {
    magnitude = fraction == 0 ? std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
  } else {
    magnitude = std::ldexp(1024 + fraction, exponent - 25);
  }
  return (half & 0x8000) != 0 ? -magnitude : magnitude;
}

// bfloat16: the upper half of a float.
inline float float_from_bfloat16(uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16); }

}  // namespace adasample
