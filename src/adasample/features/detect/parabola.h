// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

namespace adasample {

// Where the parabola through three values at -1, 0 and 1 has its maximum, in [-1/2, 1/2]; 0 where it has none.
inline double parabola_peak(double before, double value, double after) {
  const double curvature = before - 2 * value + after;
  return curvature < 0 ? std::clamp(0.5 * (before - after) / curvature, -0.5, 0.5) : 0.0;
}

}  // namespace adasample
