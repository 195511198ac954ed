// SPDX-License-Identifier: Apache-2.0
// Small multiples of every metric, and histograms over time.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "adasample/base/error.h"
#include "adasample/report/html.h"
#include "adasample/report/metric_catalog.h"
#include "adasample/report/page_parts.h"
#include "adasample/report/plot/buckets.h"
#include "adasample/report/plot/heat_map.h"
#include "adasample/report/plot/svg_plot.h"

namespace adasample {
namespace {

constexpr size_t kFewPoints = 60;  // so few are drawn as dots

std::string in_grid(const std::string& charts) { return R"(<div class="grid">)" + charts + "</div>\n"; }

// Names in the order in which they first occur.
template <typename Item, typename Items>
std::vector<std::string> names_of(const Runs& runs, const Items& items) {
  std::vector<std::string> names;
  for (const RunData& run : runs) {
    items(run, [&](const Item& item) {
      if (std::find(names.begin(), names.end(), item.name) == names.end()) names.push_back(item.name);
    });
  }
  return names;
}

std::vector<std::string> metric_names(const Runs& runs) {
  return names_of<Series>(runs, [](const RunData& run, const auto& visit) {
    for (const Series& series : run.metrics) visit(series);
  });
}

// All charts share one grid, so that one cross-hair serves them all.
Grid common_grid(const Runs& runs) {
  std::vector<const Series*> all;
  for (const RunData& run : runs) {
    for (const Series& series : run.metrics) all.push_back(&series);
  }
  return make_grid(all);
}

Scale iteration_scale(const Grid& grid) {
  return linear_scale(static_cast<double>(grid.first), static_cast<double>(grid.last));
}

PlotSeries to_plot(const std::vector<Bucket>& buckets, const Grid& grid) {
  PlotSeries plotted;
  plotted.band = grid.width > 1;
  plotted.mark = buckets.size() <= kFewPoints ? PlotSeries::Mark::kDots : PlotSeries::Mark::kLine;
  for (const Bucket& b : buckets) plotted.points.push_back({static_cast<double>(b.iteration), b.mean, b.low, b.high});
  return plotted;
}

Scale value_scale(const std::vector<PlotSeries>& series) {
  double low = INFINITY, high = -INFINITY;
  for (const PlotSeries& s : series) {
    for (const PlotPoint& point : s.points) {
      if (!std::isfinite(point.y)) continue;
      low = std::min(low, point.low);
      high = std::max(high, point.high);
    }
  }
  return low <= high ? roomy_scale(low, high) : linear_scale(0, 1);
}

std::string metric_chart(const Runs& runs, const std::string& name, const Grid& grid) {
  const MetricText text = metric_text(name);
  Plot plot{.id = name, .title = text.title, .description = text.description};
  for (size_t r = 0; r < runs.size(); ++r) {
    const Series* series = runs[r].metric(name);
    if (series == nullptr) continue;
    plot.series.push_back(to_plot(bucketed(*series, grid), grid));
    plot.series.back().name = runs[r].name;
    plot.series.back().style = run_style(r);
  }
  plot.x = iteration_scale(grid);
  plot.y = value_scale(plot.series);
  plot.span = static_cast<double>(grid.width);
  return svg_plot(plot);
}

// The shares of an iteration's time on top of each other, a chart a run.
std::string time_chart(const Runs& runs, size_t r, const Grid& grid) {
  Plot plot{.id = std::string(kTimePrefix), .title = "Where the time goes", .description = "shares of an iteration: "};
  std::vector<double> sums;  // by bucket, of what lies below
  for (const Series& series : runs[r].metrics) {
    if (!series.name.starts_with(kTimePrefix)) continue;
    PlotSeries area;
    area.name = series.name.substr(kTimePrefix.size());
    area.style = fmt::format("t{}", plot.series.size() % 8);
    area.mark = PlotSeries::Mark::kArea;
    for (const Bucket& b : bucketed(series, grid)) {
      const auto slot = static_cast<size_t>((b.iteration - grid.first) / grid.width);
      if (sums.size() <= slot) sums.resize(slot + 1);
      const double low = sums[slot];
      if (std::isfinite(b.mean)) sums[slot] += b.mean;
      area.points.push_back({static_cast<double>(b.iteration), b.mean, low, sums[slot]});
    }
    plot.caption +=
        fmt::format(R"(<span class="part {}"><i class="swatch"></i>{}</span> )", area.style, escaped(area.name));
    plot.series.push_back(std::move(area));
  }
  if (plot.series.empty()) return "";
  if (runs.size() > 1) plot.caption += "<br>" + run_label(runs, r);
  const double top = sums.empty() ? 1 : *std::max_element(sums.begin(), sums.end());
  plot.x = iteration_scale(grid);
  plot.y = linear_scale(0, std::max(1.0, top));
  plot.span = static_cast<double>(grid.width);
  return svg_plot(plot);
}

}  // namespace

std::string metric_sections(const Runs& runs) {
  const Grid grid = common_grid(runs);
  std::array<std::string, kMetricGroups.size()> groups;
  auto names = metric_names(runs);
  std::stable_sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return metric_text(a).place < metric_text(b).place;
  });
  for (const std::string& name : names) {
    if (!name.starts_with(kTimePrefix)) groups[metric_text(name).group] += metric_chart(runs, name, grid);
  }
  for (size_t r = 0; r < runs.size(); ++r) groups[metric_text("pairs_per_s").group] += time_chart(runs, r, grid);
  std::string html;
  for (size_t g = 0; g < groups.size(); ++g) {
    if (groups[g].empty()) continue;
    html += section(fmt::format("metrics-{}", g), kMetricGroups[g], "", in_grid(groups[g]));
  }
  return html;
}

std::string metric_figure(const Runs& runs, const std::string& name) {
  const auto names = metric_names(runs);
  ADA_CHECK(std::find(names.begin(), names.end(), name) != names.end(),
            "[report] expected a metric of the run, found '{}' - it has {}", name, fmt::join(names, ", "));
  return metric_chart(runs, name, common_grid(runs));
}

std::string histogram_section(const Runs& runs) {
  std::string content;
  const auto names = names_of<Histogram>(runs, [](const RunData& run, const auto& visit) {
    for (const Snapshot& snapshot : run.snapshots) {
      for (const Histogram& histogram : snapshot.histograms) visit(histogram);
    }
  });
  for (const std::string& name : names) {
    std::vector<HeatMap> maps;
    double full = 0;
    for (const RunData& run : runs) {
      maps.push_back(make_heat_map(run.snapshots, name));
      full = std::max(full, maps.back().largest_share());
    }
    const MetricText text = histogram_text(name);
    std::string charts;
    for (size_t r = 0; r < runs.size(); ++r) {
      if (maps[r].columns.empty()) continue;
      charts += svg_heat_map(maps[r],
                             {.id = name,
                              .title = text.title,
                              .description = text.description,
                              .run = runs[r].name,
                              .run_html = runs.size() > 1 ? run_label(runs, r) : ""},
                             full > 0 ? full : 1);
    }
    content += runs.size() > 1 ? in_grid(charts) : charts;  // runs to compare stand in one row
  }
  if (content.empty()) return "";
  return section("histograms", "Distributions over time",
                 "A column a snapshot; the stronger the colour of a cell, the more of the snapshot's values lie in it.",
                 runs.size() > 1 ? content : in_grid(content));
}

}  // namespace adasample
