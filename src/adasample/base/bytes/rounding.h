// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace adasample {

// As std::rint, of what is below 2^22 in magnitude; in loops that the compiler turns into vectors.
inline float rounded(float value) {
  constexpr float kShift = 12582912;  // 1.5 * 2^23: adding it leaves no digits behind the point
  return (value + kShift) - kShift;
}

}  // namespace adasample
