// SPDX-License-Identifier: Apache-2.0
// The two 16-bit float formats in which weights and descriptors travel. Widened to float every value is kept exactly.
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

// Rounded to the nearest, ties to even; from 65520 on infinite.
inline uint16_t half_from_float(float value) {
  const auto sign = static_cast<uint16_t>(std::bit_cast<uint32_t>(value) >> 16 & 0x8000);
  const float magnitude = std::abs(value);
  uint32_t bits = 0x7E00;  // not a number
  if (magnitude >= 65520) {
    bits = 0x7C00;
  } else if (magnitude < 0x1p-14f) {  // subnormal: a multiple of 2^-24
    bits = static_cast<uint32_t>(std::nearbyint(magnitude * 0x1p24f));
  } else if (!std::isnan(magnitude)) {
    const auto wide = std::bit_cast<uint32_t>(magnitude);
    bits = (wide + 0xFFF + (wide >> 13 & 1) - (112u << 23)) >> 13;
  }
  return static_cast<uint16_t>(sign | bits);
}

// bfloat16: the upper half of a float.
inline float float_from_bfloat16(uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16); }

}  // namespace adasample
