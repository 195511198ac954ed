// SPDX-License-Identifier: Apache-2.0
#include "adasample/report/plot/marker_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "adasample/report/html.h"
#include "adasample/report/plot/svg_plot.h"

namespace adasample {
namespace {

constexpr double kPanel = 250, kNameWidth = 130, kRow = 22, kHead = 58, kFoot = 30, kGap = 62;
constexpr std::array kMarkerColours = {"#00835f", "#c75300", "#b3261e", "#0069a6",
                                       "#b0528a", "#8f6a00", "#5b45a8", "#55554f"};

std::string marker_shape(double x, double y, const Marker& marker) {
  const char* colour = kMarkerColours[marker.colour % kMarkerColours.size()];
  const std::string at = coordinate(x) + " " + coordinate(y);
  switch (marker.shape % 4) {
    case 0:
      return fmt::format(R"(<circle cx="{}" cy="{}" r="4" fill="{}"/>)", coordinate(x), coordinate(y), colour);
    case 1:
      return fmt::format(R"(<path d="M{}m0 -5l5 5l-5 5l-5 -5z" fill="{}"/>)", at, colour);
    case 2:
      return fmt::format(R"(<path d="M{}m-4 -4h8v8h-8z" fill="{}"/>)", at, colour);
    default:
      return fmt::format(R"(<path d="M{}m0 -5l5 9h-10z" fill="{}"/>)", at, colour);
  }
}

}  // namespace

std::string svg_marker_plot(const MarkerPlot& plot) {
  size_t rows = 0;
  for (const MarkerPanel& panel : plot.panels) rows = std::max(rows, panel.rows.size());
  const double height = kHead + kRow * static_cast<double>(rows) + kFoot;
  const double width = kNameWidth + static_cast<double>(plot.panels.size()) * (kPanel + kGap);
  const auto bottom = coordinate(kHead + kRow * static_cast<double>(rows));
  std::string svg = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" height="{1}" role="img" aria-label="{2}">)"
      "\n<style>text {{ font: 11px system-ui, sans-serif; fill: #64645f; }} .axis {{ stroke: #9a9a94; fill: none; }} "
      ".bar {{ fill: #9a9a94; fill-opacity: .35; }}</style>\n"
      R"(<text x="0" y="14" font-weight="600">{2}</text>)"
      "\n",
      coordinate(width), coordinate(height), escaped(plot.title));
  double at = 0;
  const auto key = [&](const std::string& name, const Marker& marker) {
    svg += marker_shape(at + 6, 30, marker) +
           fmt::format(R"(<text x="{}" y="34">{}</text>)", coordinate(at + 14), escaped(name));
    at += 24 + 7 * static_cast<double>(name.size());
  };
  for (size_t c = 0; c < plot.colours.size(); ++c) key(plot.colours[c], {.colour = c, .shape = 0});
  for (size_t s = 0; s < plot.shapes.size(); ++s) key(plot.shapes[s], {.colour = 7, .shape = s});
  for (size_t p = 0; p < plot.panels.size(); ++p) {
    const MarkerPanel& panel = plot.panels[p];
    const double left = kNameWidth + static_cast<double>(p) * (kPanel + kGap);
    const auto x = [&](double value) { return left + kPanel * std::clamp(value, 0.0, 100.0) / 100; };
    svg += fmt::format("\n<g data-panel=\"{0}\"><text x=\"{1}\" y=\"{2}\" font-weight=\"600\">{0}</text>",
                       escaped(panel.title), coordinate(left), kHead - 6);
    for (const int tick : {0, 20, 40, 60, 80, 100}) {
      svg += fmt::format(R"(<path class="axis" d="M{0} {1}V{2}" stroke-opacity=".4"/>)", coordinate(x(tick)), kHead,
                         bottom);
      svg += fmt::format(R"(<text x="{}" y="{}" text-anchor="middle">{}</text>)", coordinate(x(tick)),
                         coordinate(height - kFoot + 14), tick);
    }
    svg += fmt::format(R"(<text x="{}" y="{}" text-anchor="middle">{}</text>)", coordinate(left + kPanel / 2),
                       coordinate(height - 3), escaped(plot.x_label));
    for (size_t r = 0; r < panel.rows.size(); ++r) {
      const MarkerRow& row = panel.rows[r];
      const double y = kHead + kRow * (static_cast<double>(r) + 0.5);
      svg += fmt::format("\n<g data-name=\"{}\">", escaped(row.name));
      if (p == 0)
        svg += fmt::format(R"(<text x="{}" y="{}" text-anchor="end">{}</text>)", kNameWidth - 8, coordinate(y + 4),
                           escaped(row.name));
      if (std::isfinite(row.mean)) {
        svg += fmt::format(R"(<path class="bar" d="M{} {}H{}v12H{}z"/>)", coordinate(left), coordinate(y - 6),
                           coordinate(x(row.mean)), coordinate(left));
        svg += fmt::format(R"(<text x="{}" y="{}">{:.2f}</text>)", coordinate(left + kPanel + 8), coordinate(y + 4),
                           row.mean);
      }
      for (const Marker& marker : row.markers) {
        if (std::isfinite(marker.value)) svg += marker_shape(x(marker.value), y, marker);
      }
      svg += "</g>";
    }
    svg += "</g>";
  }
  return svg + "\n</svg>\n";
}

}  // namespace adasample
