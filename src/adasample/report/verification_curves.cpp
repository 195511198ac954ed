// SPDX-License-Identifier: Apache-2.0
// ROC and precision-recall curves of the runs and of what they are compared with.
#include <fmt/format.h>

#include <cmath>

#include "adasample/report/html.h"
#include "adasample/report/page_parts.h"
#include "adasample/report/plot/svg_plot.h"

namespace adasample {
namespace {

constexpr double kLeastRate = 1e-4;  // where the logarithmic axis begins
using Points = std::vector<std::pair<double, double>>;

// As many points as can be seen: those that move by a third of a unit.
std::vector<PlotPoint> thinned(const Plot& plot, const Points& points) {
  std::vector<PlotPoint> kept;
  double last_x = -INFINITY, last_y = -INFINITY;
  for (size_t i = 0; i < points.size(); ++i) {
    const auto [x, y] = points[i];
    // Left of the axis only the last point matters: the curve enters the frame there.
    if (x < plot.x.low && i + 1 < points.size() && points[i + 1].first <= plot.x.low) continue;
    const double at_x = PlotFrame::x(plot.x, x), at_y = PlotFrame::y(plot.y, y);
    if (std::hypot(at_x - last_x, at_y - last_y) < 0.3 && i + 1 < points.size()) continue;
    kept.push_back({std::max(x, plot.x.low), y, y, y});
    last_x = at_x;
    last_y = at_y;
  }
  return kept;
}

struct Drawn {
  const NamedCurves* curves;
  std::string name, style;
};

std::string chart(Plot plot, const std::vector<Drawn>& all, Points NamedCurves::*points) {
  for (const Drawn& drawn : all) {
    plot.series.push_back({.name = drawn.name, .style = drawn.style, .points = thinned(plot, drawn.curves->*points)});
  }
  return svg_plot(plot);
}

}  // namespace

std::string curve_section(const Report& report) {
  std::vector<Drawn> all;
  for (size_t r = 0; r < report.runs.size(); ++r) {
    if (report.runs[r].curves) all.push_back({&*report.runs[r].curves, report.runs[r].name, run_style(r)});
  }
  for (size_t r = 0; r < report.references.size(); ++r)
    all.push_back({&report.references[r], report.references[r].name, reference_style(r)});
  if (all.empty()) return "";

  std::string key;
  ReportTable table{.columns = {"", "FPR95", "AP", "AUC"}};
  for (const Drawn& d : all) {
    key += fmt::format(R"(<span class="{}"><i class="swatch"></i>{}</span> )", d.style, escaped(d.name));
    table.rows.push_back({d.name, percent(d.curves->fpr95), percent(d.curves->ap), percent(d.curves->auc)});
  }
  Plot roc{.id = "roc",
           .title = "ROC",
           .description = "recall by false positive rate; the line is 95 % recall, where FPR95 is read",
           .x_label = "false positive rate",
           .x = log_scale(kLeastRate, 1, AxisUnit::kPercent),
           .y = linear_scale(0, 1, 5, AxisUnit::kPercent),
           .guide = 0.95};
  for (const Drawn& d : all) {
    roc.series.push_back({.name = "FPR95 " + d.name,
                          .style = d.style + " point",
                          .points = {{std::max(d.curves->fpr95, kLeastRate), 0.95, 0.95, 0.95}},
                          .mark = PlotSeries::Mark::kDots});
  }
  const Plot pr{.id = "pr",
                .title = "Precision and recall",
                .x_label = "recall",
                .x = linear_scale(0, 1, 5, AxisUnit::kPercent),
                .y = linear_scale(0, 1, 5, AxisUnit::kPercent)};
  return section("curves", "Verification", "Pairs of patches, matching or not, told apart by distance.",
                 R"(<p class="legend">)" + key + R"(</p><div class="grid">)" + chart(roc, all, &NamedCurves::roc) +
                     chart(pr, all, &NamedCurves::pr) + table_html(table) + "</div>\n");
}

}  // namespace adasample
