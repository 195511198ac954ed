// SPDX-License-Identifier: Apache-2.0
// From figures to places on an axis, and the ticks between.
#pragma once

#include <string>
#include <vector>

namespace adasample {

enum class AxisKind { kLinear, kLog };
enum class AxisUnit { kPlain, kPercent };  // kPercent: 0.05 is written 5 %

struct Tick {
  double value;
  std::string label;
};

struct Scale {
  double low = 0, high = 1;  // low < high; of a log axis both positive
  AxisKind kind = AxisKind::kLinear;
  std::vector<Tick> ticks = {};  // ascending, within low..high

  // 0 at low, 1 at high, clipped to that; `value` is finite.
  double at(double value) const;
};

// Figures beyond this are drawn as this: axes and means stay finite.
inline constexpr double kMostFigure = 1e100;

// Covers low..high; one value alone gets room about it. At most `ticks` steps of 1, 2 or 5 times a power of ten.
Scale linear_scale(double low, double high, int ticks = 5, AxisUnit unit = AxisUnit::kPlain);
// The same, with a little room at both ends and from zero where that costs at most half of the height.
Scale roomy_scale(double low, double high, int ticks = 6);
// Ticks at the powers of ten. 0 < low < high.
Scale log_scale(double low, double high, AxisUnit unit = AxisUnit::kPlain);

}  // namespace adasample
