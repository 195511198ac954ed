// SPDX-License-Identifier: Apache-2.0
#include "adasample/report/plot/heat_map.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "adasample/report/html.h"
#include "adasample/report/plot/svg_plot.h"

namespace adasample {
namespace {

constexpr int kLevels = 9;

const Histogram* find(const Snapshot& snapshot, std::string_view name) {
  for (const Histogram& histogram : snapshot.histograms) {
    if (histogram.name == name) return &histogram;
  }
  return nullptr;
}

// Roots, not shares: the tails are what one looks for.
int level(int64_t count, int64_t total, double full) {
  if (count == 0) return 0;
  const double share = static_cast<double>(count) / static_cast<double>(total);
  return std::clamp(static_cast<int>(std::ceil(kLevels * std::sqrt(share / full))), 1, kLevels);
}

}  // namespace

double HeatMap::largest_share() const {
  double largest = 0;
  for (const Column& column : columns) {
    for (const int64_t count : column.counts)
      if (count > 0) largest = std::max(largest, static_cast<double>(count) / static_cast<double>(column.total));
  }
  return largest;
}

HeatMap make_heat_map(const std::vector<Snapshot>& snapshots, std::string_view name) {
  std::vector<std::pair<int64_t, const Histogram*>> found;
  for (const Snapshot& snapshot : snapshots) {
    if (const Histogram* histogram = find(snapshot, name)) found.emplace_back(snapshot.iteration, histogram);
  }
  HeatMap map;
  if (found.empty()) return map;
  const Histogram& first = *found[0].second;
  const size_t bins = first.counts.size();
  const size_t merged_bins = (bins + kMostRows - 1) / kMostRows;
  const size_t merged_snapshots = (found.size() + kMostColumns - 1) / kMostColumns;
  const size_t rows = (bins + merged_bins - 1) / merged_bins;
  map.low = first.low;
  map.high = first.low + (first.high - first.low) / static_cast<double>(bins) * static_cast<double>(rows * merged_bins);
  for (size_t i = 0; i < found.size(); ++i) {
    const auto& [iteration, histogram] = found[i];
    if (i % merged_snapshots == 0) map.columns.push_back({iteration, std::vector<int64_t>(rows), 0});
    for (size_t bin = 0; bin < bins; ++bin) {
      map.columns.back().counts[bin / merged_bins] += histogram->counts[bin];
      map.columns.back().total += histogram->counts[bin];
    }
  }
  // The last column is as wide as the one before it.
  const int64_t last = map.columns.back().iteration;
  map.end = last + (map.columns.size() > 1 ? last - map.columns[map.columns.size() - 2].iteration : 1);
  return map;
}

std::string svg_heat_map(const HeatMap& map, const HeatMapText& text, double full) {
  using F = PlotFrame;
  const Scale x = linear_scale(static_cast<double>(map.columns.front().iteration), static_cast<double>(map.end));
  const Scale y = linear_scale(map.low, map.high);
  const double bin = (map.high - map.low) / static_cast<double>(map.columns[0].counts.size());

  // One path a colour; equal neighbours of a column are one rectangle.
  std::array<std::string, kLevels + 1> paths;
  std::vector<std::string> iterations, counts;
  for (size_t c = 0; c < map.columns.size(); ++c) {
    const HeatMap::Column& column = map.columns[c];
    const int64_t end = c + 1 < map.columns.size() ? map.columns[c + 1].iteration : map.end;
    const double left = F::x(x, static_cast<double>(column.iteration)),
                 width = F::x(x, static_cast<double>(end)) - left;
    for (size_t row = 0; row < column.counts.size();) {
      const int here = level(column.counts[row], column.total, full);
      const size_t begin = row;
      while (row < column.counts.size() && level(column.counts[row], column.total, full) == here) ++row;
      const double bottom = F::y(y, map.low + bin * static_cast<double>(begin));
      const double top = F::y(y, map.low + bin * static_cast<double>(row));
      paths[static_cast<size_t>(here)] +=
          fmt::format("M{} {}h{:.2f}V{}h-{:.2f}z", coordinate(left), coordinate(bottom), width, coordinate(top), width);
    }
    iterations.push_back(std::to_string(column.iteration));
    counts.push_back(fmt::format("{}", fmt::join(column.counts, " ")));
  }
  std::string content = R"(<g class="heat">)";
  for (size_t l = 1; l < paths.size(); ++l) {
    if (!paths[l].empty()) content += fmt::format(R"(<path class="l{}" d="{}"/>)", l, paths[l]);
  }
  content += "</g>\n" + axes(x, y, "iteration");
  content += fmt::format(R"(<path class="cross" d="M0 {}V{}"/>)", F::kTop, F::kBottom);

  std::string key;
  for (int l = 1; l <= kLevels; ++l) key += fmt::format(R"(<i class="l{}"></i>)", l);
  const std::string caption = fmt::format(
      R"({}<span class="keys">{}<span class="key">0 <span aria-hidden="true">{}</span> {:.3g} %</span></span>)",
      escaped(text.description), text.run_html, key, 100 * full);
  const std::string attributes = fmt::format(
      R"(data-heat="{};{}" data-columns="{}" data-counts="{}" data-left="{}" data-right="{}" data-top="{}" data-bottom="{}" data-from="{}" data-to="{}" data-log="0")",
      figure(map.low), figure(map.high), fmt::join(iterations, " "), fmt::join(counts, ";"), F::kLeft, F::kRight,
      F::kTop, F::kBottom, map.columns.front().iteration, map.end);
  return figure_frame(
      fmt::format(R"(class="chart heatmap" data-histogram="{}" data-run="{}")", escaped(text.id), escaped(text.run)),
      text.title, caption, text.title + " by iteration, " + text.run, attributes, content);
}

}  // namespace adasample
