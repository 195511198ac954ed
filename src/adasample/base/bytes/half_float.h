// SPDX-License-Identifier: Apache-2.0
// The two 16-bit float formats in which weights and descriptors travel. Widened to float every value is kept exactly;
// the way back rounds.
#pragma once

#include <algorithm>
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

inline constexpr float kLargestHalf = 65504;

// To the nearest, ties to even; what is larger than kLargestHalf becomes infinite.
inline uint16_t half_from_float(float value) {
  const auto sign = static_cast<uint16_t>(std::signbit(value) ? 0x8000 : 0);
  if (std::isnan(value)) return sign | 0x7E00;
  const float magnitude = std::abs(value);
  if (magnitude == 0) return sign;
  if (magnitude >= 65520) return sign | 0x7C00;  // half a step above the largest
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  // The step between neighbours is 2^(exponent - 11), and 2^-24 among subnormals. Rounding up to the next power of two
  // carries into the exponent's bits, which is right.
  const int step = std::max(exponent - 11, -24);
  const auto count = static_cast<uint16_t>(std::nearbyint(std::ldexp(magnitude, -step)));
  return static_cast<uint16_t>(sign + ((step + 24) << 10) + count);
}

// bfloat16: the upper half of a float.
inline float float_from_bfloat16(uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16); }

}  // namespace adasample
