// SPDX-License-Identifier: Apache-2.0
// A chart as a <figure> with an inline SVG: complete without JavaScript; with it, the pointer finds the figures, which
// stand in data attributes of the curves.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "adasample/report/plot/scale.h"

namespace adasample {

// The place of the axes inside the drawing, in its own units.
struct PlotFrame {
  static constexpr double kWidth = 360, kHeight = 200;
  static constexpr double kLeft = 42, kRight = 346, kTop = 8, kBottom = 164;
  static double x(const Scale& scale, double value) { return kLeft + (kRight - kLeft) * scale.at(value); }
  static double y(const Scale& scale, double value) { return kBottom + (kTop - kBottom) * scale.at(value); }
};

struct PlotPoint {
  double x = 0, y = 0;       // y NaN: a gap
  double low = 0, high = 0;  // the band about y, or what an area covers
};

struct PlotSeries {
  enum class Mark { kLine, kDots, kArea };  // kDots: a line with dots; kArea: low..high filled, y only told
  std::string name;
  std::string style;  // CSS classes that set its colour
  std::vector<PlotPoint> points = {};
  Mark mark = Mark::kLine;
  bool band = false;  // low and high are to be drawn and told
};

struct Plot {
  std::string id;                       // the metric's name, for scripts and tests
  std::string title, description = {};  // plain text, like all names
  std::string caption = {};             // HTML that stands behind the description
  std::string x_label = "iteration";
  Scale x = {}, y = {};
  double span = 0;     // iterations a point stands for; 0: x is no iteration
  double guide = NAN;  // a horizontal line
  std::vector<PlotSeries> series = {};
};

std::string svg_plot(const Plot& plot);

// Pieces that other drawings share. figure_frame wraps `svg_content` in figure and svg; `attributes` go to the svg.
std::string axes(const Scale& x, const Scale& y, const std::string& x_label);
std::string figure_frame(const std::string& figure_attributes, const std::string& title,
                         const std::string& caption_html, const std::string& aria_label, const std::string& attributes,
                         const std::string& svg_content);

// A coordinate with at most one decimal.
std::string coordinate(double value);

}  // namespace adasample
