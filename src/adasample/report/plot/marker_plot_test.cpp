// SPDX-License-Identifier: Apache-2.0
#include "adasample/report/plot/marker_plot.h"

#include <gtest/gtest.h>

#include <cmath>

namespace adasample {
namespace {

size_t occurrences(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++n;
  return n;
}

TEST(MarkerPlot, AMarkerStandsAtItsValue) {
  const MarkerPlot plot{.title = "Three <tasks>",
                        .x_label = "mAP",
                        .colours = {"easy", "hard"},
                        .shapes = {"view", "light"},
                        .panels = {{.title = "matching",
                                    .rows = {{.name = "a & b",
                                              .mean = 50,
                                              .markers = {{.value = 20, .colour = 0, .shape = 0},
                                                          {.value = 80, .colour = 1, .shape = 1},
                                                          {.value = NAN, .colour = 0, .shape = 0}}}}},
                                   {.title = "retrieval", .rows = {{.name = "a & b", .mean = NAN}}}}};
  const std::string svg = svg_marker_plot(plot);
  // The panel spans 130 to 380: 20 of 100 is 180, 80 is 330; the bar ends in the middle, at 255.
  EXPECT_NE(svg.find(R"(<circle cx="180" cy="69" r="4" fill="#00835f"/>)"), std::string::npos) << svg;
  EXPECT_NE(svg.find(R"(<path d="M330 69m0 -5l5 5l-5 5l-5 -5z" fill="#c75300"/>)"), std::string::npos) << svg;
  EXPECT_NE(svg.find(R"(<path class="bar" d="M130 63H255v12H130z"/>)"), std::string::npos) << svg;
  EXPECT_EQ(occurrences(svg, "class=\"bar\""), 1u) << "nothing is drawn of what is not there";
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("<tasks>"), std::string::npos);
  EXPECT_EQ(occurrences(svg, "a &amp; b"), 3u);  // twice as data, once as the name
}

}  // namespace
}  // namespace adasample
