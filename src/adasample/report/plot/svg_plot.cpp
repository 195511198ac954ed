// SPDX-License-Identifier: Apache-2.0
#include "adasample/report/plot/svg_plot.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "adasample/report/html.h"

namespace adasample {
namespace {

using F = PlotFrame;

std::string place(const Plot& plot, double x, double y) {
  return coordinate(F::x(plot.x, x)) + " " + coordinate(F::y(plot.y, y));
}

// Runs of points between gaps.
std::vector<std::pair<size_t, size_t>> stretches(const std::vector<PlotPoint>& points) {
  std::vector<std::pair<size_t, size_t>> result;
  for (size_t i = 0; i < points.size(); ++i) {
    if (!std::isfinite(points[i].y)) continue;
    if (i == 0 || !std::isfinite(points[i - 1].y)) result.emplace_back(i, i);
    result.back().second = i + 1;
  }
  return result;
}

// A stretch of one point becomes a dot: round caps make a line of no length visible.
std::string line_path(const Plot& plot, const std::vector<PlotPoint>& points) {
  std::string path;
  for (const auto& [begin, end] : stretches(points)) {
    path += "M";
    for (size_t i = begin; i < end; ++i) path += (i > begin ? " " : "") + place(plot, points[i].x, points[i].y);
    if (end == begin + 1) path += "h0";
  }
  return path;
}

std::string band_path(const Plot& plot, const std::vector<PlotPoint>& points) {
  std::string path;
  for (const auto& [begin, end] : stretches(points)) {
    path += "M";
    for (size_t i = begin; i < end; ++i) path += (i > begin ? " " : "") + place(plot, points[i].x, points[i].high);
    for (size_t i = end; i-- > begin;) path += " " + place(plot, points[i].x, points[i].low);
    path += "z";
  }
  return path;
}

template <typename Get>
std::string figures(const std::vector<PlotPoint>& points, const Get& get) {
  std::string text;
  for (const PlotPoint& point : points) text += (text.empty() ? "" : " ") + figure(get(point));
  return text;
}

// Iterations are whole and may be large: all their digits.
std::string places_of(const Plot& plot, const std::vector<PlotPoint>& points) {
  if (plot.span == 0) return figures(points, [](const PlotPoint& p) { return p.x; });
  std::string text;
  for (const PlotPoint& point : points) text += fmt::format("{}{:.0f}", text.empty() ? "" : " ", point.x);
  return text;
}

std::string draw(const Plot& plot, const PlotSeries& series) {
  std::string svg =
      fmt::format(R"(<g class="series {}" data-name="{}" data-x="{}" data-y="{}")", series.style, escaped(series.name),
                  places_of(plot, series.points), figures(series.points, [](const PlotPoint& p) { return p.y; }));
  if (series.band) {
    svg += fmt::format(R"( data-low="{}" data-high="{}")",
                       figures(series.points, [](const PlotPoint& p) { return p.low; }),
                       figures(series.points, [](const PlotPoint& p) { return p.high; }));
  }
  svg += ">";
  const bool area = series.mark == PlotSeries::Mark::kArea;
  if (area || series.band)
    svg += fmt::format(R"(<path class="{}" d="{}"/>)", area ? "area" : "band", band_path(plot, series.points));
  if (!area) svg += fmt::format(R"(<path class="line" d="{}"/>)", line_path(plot, series.points));
  if (series.mark == PlotSeries::Mark::kDots) {
    for (const PlotPoint& point : series.points) {
      if (!std::isfinite(point.y)) continue;
      svg += fmt::format(R"(<circle cx="{}" cy="{}" r="2.5"/>)", coordinate(F::x(plot.x, point.x)),
                         coordinate(F::y(plot.y, point.y)));
    }
  }
  return svg + "</g>\n";
}

bool nothing_to_draw(const Plot& plot) {
  for (const PlotSeries& series : plot.series) {
    if (!stretches(series.points).empty()) return false;
  }
  return true;
}

}  // namespace

std::string coordinate(double value) {
  std::string text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

std::string axes(const Scale& x, const Scale& y, const std::string& x_label) {
  std::string lines, labels;
  for (const Tick& tick : y.ticks) {
    const std::string at = coordinate(F::y(y, tick.value));
    lines += fmt::format("M{} {}H{}", F::kLeft, at, F::kRight);
    labels +=
        fmt::format(R"(<text x="{}" y="{}" dy=".34em" text-anchor="end">{}</text>)", F::kLeft - 6, at, tick.label);
  }
  for (const Tick& tick : x.ticks) {
    const std::string at = coordinate(F::x(x, tick.value));
    lines += fmt::format("M{} {}v4", at, F::kBottom);
    labels += fmt::format(R"(<text x="{}" y="{}" text-anchor="middle">{}</text>)", at, F::kBottom + 16, tick.label);
  }
  return fmt::format(
      R"(<g class="axes" aria-hidden="true"><path d="{}M{} {}H{}"/>{}<text x="{}" y="{}" text-anchor="middle">{}</text></g>)"
      "\n",
      lines, F::kLeft, F::kBottom, F::kRight, labels, (F::kLeft + F::kRight) / 2, F::kHeight - 5, escaped(x_label));
}

std::string figure_frame(const std::string& figure_attributes, const std::string& title,
                         const std::string& caption_html, const std::string& aria_label, const std::string& attributes,
                         const std::string& svg_content) {
  return fmt::format(
      "<figure {}>\n<figcaption><h3>{}</h3><p>{}</p></figcaption>\n"
      R"(<svg viewBox="0 0 {} {}" role="img" tabindex="0" aria-label="{}" {}>)"
      "\n{}</svg></figure>\n",
      figure_attributes, escaped(title), caption_html, F::kWidth, F::kHeight, escaped(aria_label), attributes,
      svg_content);
}

std::string svg_plot(const Plot& plot) {
  std::string content = axes(plot.x, plot.y, plot.x_label);
  if (std::isfinite(plot.guide)) {
    content += fmt::format(R"(<path class="guide" d="M{} {}H{}"/>)", F::kLeft, coordinate(F::y(plot.y, plot.guide)),
                           F::kRight);
  }
  for (const PlotSeries& series : plot.series) content += draw(plot, series);
  if (nothing_to_draw(plot)) {
    content += fmt::format(R"(<text class="nothing" x="{}" y="{}" text-anchor="middle">no finite value</text>)",
                           (F::kLeft + F::kRight) / 2, (F::kTop + F::kBottom) / 2);
  }
  content += fmt::format(R"(<path class="cross" d="M0 {}V{}"/>)", F::kTop, F::kBottom);
  std::vector<std::string> names;
  for (const PlotSeries& series : plot.series) names.push_back(series.name);
  const std::string attributes = fmt::format(
      R"(data-plot="{}" data-from="{:.17g}" data-to="{:.17g}" data-log="{}" data-left="{}" data-right="{}" data-span="{}")",
      escaped(plot.x_label), plot.x.low, plot.x.high, plot.x.kind == AxisKind::kLog ? 1 : 0, F::kLeft, F::kRight,
      plot.span);
  return figure_frame(fmt::format(R"(class="chart" data-metric="{}")", escaped(plot.id)), plot.title,
                      escaped(plot.description) + plot.caption,
                      fmt::format("{} by {}: {}", plot.title, plot.x_label, fmt::join(names, ", ")), attributes,
                      content);
}

}  // namespace adasample
