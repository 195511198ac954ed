// SPDX-License-Identifier: Apache-2.0
// HPatches' own kind of plot: one row per descriptor with a bar to its mean, and markers for what the mean is made of:
// the level by colour (easy, hard, tough), what changes by shape. A file of its own, readable on white and on black.
#pragma once

#include <string>
#include <vector>

namespace adasample {

struct Marker {
  double value = 0;   // in the axis' unit; what is not finite is left out
  size_t colour = 0;  // of MarkerPlot::colours
  size_t shape = 0;   // of MarkerPlot::shapes
};

struct MarkerRow {
  std::string name;
  double mean = 0;
  std::vector<Marker> markers = {};
};

struct MarkerPanel {
  std::string title;
  std::vector<MarkerRow> rows = {};
};

struct MarkerPlot {
  std::string title, x_label;
  std::vector<std::string> colours, shapes;  // their names, for the legend; four shapes and eight colours at most
  std::vector<MarkerPanel> panels = {};      // side by side, all with the same rows
};

// An SVG file; the axes start at 0 and end at 100.
std::string svg_marker_plot(const MarkerPlot& plot);

}  // namespace adasample
