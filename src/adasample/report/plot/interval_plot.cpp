// SPDX-License-Identifier: Apache-2.0
#include "adasample/report/plot/interval_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "adasample/report/html.h"
#include "adasample/report/plot/scale.h"
#include "adasample/report/plot/svg_plot.h"

namespace adasample {
namespace {

constexpr double kWide = 560, kNames = 230, kEdge = 545, kFirstRow = 12, kRowHeight = 18, kAxisHeight = 40;

// Of zero and everything that is drawn.
Scale scale_of(const std::vector<IntervalRow>& rows) {
  double low = 0, high = 0;
  const auto take = [&](double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  };
  for (const IntervalRow& row : rows) {
    take(row.value);
    if (row.interval) {
      take(row.interval->first);
      take(row.interval->second);
    }
    for (const double part : row.parts) take(part);
  }
  return linear_scale(low, high, 6);
}

}  // namespace

std::string svg_interval_plot(const IntervalPlot& plot) {
  const Scale scale = scale_of(plot.rows);
  const auto x = [&](double value) { return coordinate(kNames + (kEdge - kNames) * scale.at(value)); };
  const double bottom = kFirstRow + kRowHeight * static_cast<double>(plot.rows.size());
  std::string lines, labels, rows;
  for (const Tick& tick : scale.ticks) {
    lines += fmt::format("M{} {}V{}", x(tick.value), kFirstRow - 4, bottom);
    labels += fmt::format(R"(<text x="{}" y="{}" text-anchor="middle">{}</text>)", x(tick.value), bottom + 14, tick.label);
  }
  for (size_t r = 0; r < plot.rows.size(); ++r) {
    const IntervalRow& row = plot.rows[r];
    if (!std::isfinite(row.value)) continue;
    const std::string y = coordinate(kFirstRow + kRowHeight * (static_cast<double>(r) + 0.5));
    rows += fmt::format(R"(<g class="series s0"><title>{}: {}</title><text x="{}" y="{}" dy=".34em" text-anchor="end">{}</text>)",
                        escaped(row.name), figure(row.value), kNames - 8, y, escaped(row.name));
    if (row.interval && std::isfinite(row.interval->first) && std::isfinite(row.interval->second)) {
      rows += fmt::format(R"(<path class="line" d="M{} {}H{}"/>)", x(row.interval->first), y, x(row.interval->second));
    }
    for (const double part : row.parts) {
      if (std::isfinite(part)) rows += fmt::format(R"(<circle class="part" cx="{}" cy="{}" r="1.6"/>)", x(part), y);
    }
    rows += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"3.5\"/></g>\n", x(row.value), y);
  }
  return fmt::format(
      "<figure class=\"chart intervals\" data-metric=\"{}\">\n<figcaption><h3>{}</h3><p>{}</p></figcaption>\n"
      R"(<svg viewBox="0 0 {} {}" role="img" tabindex="0" aria-label="{}">)"
      "\n"
      R"(<g class="axes" aria-hidden="true"><path d="{}"/>{}<text x="{}" y="{}" text-anchor="middle">{}</text></g>)"
      "\n"
      R"(<path class="guide" d="M{} {}V{}"/>)"
      "\n{}</svg></figure>\n",
      escaped(plot.id), escaped(plot.title), escaped(plot.description), kWide, bottom + kAxisHeight,
      escaped(plot.title + " by " + plot.x_label), lines, labels, (kNames + kEdge) / 2, bottom + 30,
      escaped(plot.x_label), x(0), kFirstRow - 4, bottom, rows);
}

}  // namespace adasample
