// SPDX-License-Identifier: Apache-2.0
#include "adasample/report/plot/scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "adasample/base/error.h"

namespace adasample {
namespace {

// The least of 1, 2, 5 times a power of ten that makes at most `ticks` steps of `span`.
double tick_step(double span, int ticks) {
  const double least = span / ticks * (1 - 1e-9);
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  return least <= power ? power : least <= 2 * power ? 2 * power : least <= 5 * power ? 5 * power : 10 * power;
}

// Digits that tell neighbours `step` apart, and no more: 0.25, 40k, 1.5M, 2e-05.
std::string label(double value, double step) {
  if (value == 0) return "0";
  const double size = std::abs(value);
  if (size >= 1e10 || size < 1e-4) return fmt::format("{:.3g}", value);
  double unit = 1;
  const char* suffix = "";
  if (size >= 1e6 && step >= 1e4) {
    unit = 1e6, suffix = "M";
  } else if (size >= 1e4 || (size >= 1e3 && step >= 100)) {
    unit = 1e3, suffix = "k";
  }
  const int decimals = std::clamp(static_cast<int>(-std::floor(std::log10(step / unit) + 1e-9)), 0, 9);
  std::string text = fmt::format("{:.{}f}", value / unit, decimals);
  if (*suffix != 0 && text.find('.') != std::string::npos) {  // 1.0M is 1M
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text + suffix;
}

std::string label_in(AxisUnit unit, double value, double step) {
  return unit == AxisUnit::kPercent ? fmt::format("{:.10g} %", 100 * value) : label(value, step);
}

}  // namespace

double Scale::at(double value) const {
  double share = (value - low) / (high - low);
  if (kind == AxisKind::kLog) share = value <= low ? 0 : std::log(value / low) / std::log(high / low);
  return std::clamp(share, 0.0, 1.0);
}

Scale linear_scale(double low, double high, int ticks, AxisUnit unit) {
  ADA_ASSERT(low <= high && ticks > 0);
  low = std::clamp(low, -kMostFigure, kMostFigure);
  high = std::clamp(high, -kMostFigure, kMostFigure);
  const double least = 1e-9 * std::max({std::abs(low), std::abs(high), 1e-90});  // what doubles can tell apart
  if (high - low < least) {
    const double room = low == 0 && high == 0 ? 1 : 0.1 * std::max(std::abs(low), std::abs(high));
    low -= room;
    high += room;
  }
  Scale scale{.low = low, .high = high, .kind = AxisKind::kLinear};
  const double step = tick_step(high - low, ticks);
  const double slack = 1e-6 * step;  // a tick at the very end counts
  for (double n = std::ceil((low - slack) / step); n * step <= high + slack; ++n) {
    const double value = n == 0 ? 0 : n * step;  // no "-0"
    scale.ticks.push_back({std::clamp(value, low, high), label_in(unit, value, step)});
  }
  return scale;
}

Scale roomy_scale(double low, double high, int ticks) {
  if (low == 0 && high == 0) return linear_scale(0, 1, ticks);
  if (low >= 0 && low <= 0.5 * high) low = 0;
  const double room = 0.05 * (high - low);
  return linear_scale(low == 0 ? 0 : low - room, high + room, ticks);
}

Scale log_scale(double low, double high, AxisUnit unit) {
  ADA_ASSERT(0 < low && low < high);
  Scale scale{.low = low, .high = high, .kind = AxisKind::kLog};
  const auto first = static_cast<int>(std::ceil(std::log10(low) - 1e-9));
  const auto last = static_cast<int>(std::floor(std::log10(high) + 1e-9));
  for (int power = first; power <= last; ++power) {
    const double value = std::pow(10.0, power);
    scale.ticks.push_back({std::clamp(value, low, high), label_in(unit, value, value)});
  }
  return scale;
}

}  // namespace adasample
