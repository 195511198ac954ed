// SPDX-License-Identifier: Apache-2.0
// Values with their intervals, a row each, about a line at zero: how far methods differ from one of them.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace adasample {

struct IntervalRow {
  std::string name;
  double value = 0;
  std::optional<std::pair<double, double>> interval = {};  // low, high
  std::vector<double> parts = {};                          // small dots: what the value is the mean of
};

struct IntervalPlot {
  std::string id, title, description, x_label;  // plain text
  std::vector<IntervalRow> rows;
};

// A <figure> with an inline SVG. Values that are not finite are left out.
std::string svg_interval_plot(const IntervalPlot& plot);

}  // namespace adasample
