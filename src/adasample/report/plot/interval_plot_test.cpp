// SPDX-License-Identifier: Apache-2.0
#include "adasample/report/plot/interval_plot.h"

#include <gtest/gtest.h>

#include <cmath>

namespace adasample {
namespace {

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(IntervalPlot, RowsIntervalsAndZero) {
  const IntervalPlot plot{
      "m", "Matching <b>", "to the baseline", "difference, per cent",
      {{"uniform & co", 1, std::pair(-1.0, 3.0), {0.5, 1.5}}, {"no interval", -1}, {"none", NAN}}};
  const std::string svg = svg_interval_plot(plot);
  EXPECT_TRUE(holds(svg, "Matching &lt;b&gt;"));
  EXPECT_TRUE(holds(svg, "uniform &amp; co"));
  EXPECT_FALSE(holds(svg, "nan"));
  EXPECT_FALSE(holds(svg, ">none<")) << "nothing to draw";
  // -1 .. 3 over 230 .. 545: zero a quarter of the way, its guide there.
  EXPECT_TRUE(holds(svg, R"(class="guide" d="M308.8 )")) << svg;
  EXPECT_TRUE(holds(svg, R"(class="line" d="M230 21H545")")) << svg;
  EXPECT_TRUE(holds(svg, R"(<circle cx="387.5" cy="21" r="3.5"/>)")) << svg;
  EXPECT_EQ(std::string::npos, svg.find("class=\"line\"", svg.find("class=\"line\"") + 1)) << "one interval";
}

TEST(IntervalPlot, EmptyAndEqualToZero) {
  EXPECT_TRUE(holds(svg_interval_plot({"m", "t", "d", "x", {}}), "</svg>"));
  const std::string svg = svg_interval_plot({"m", "t", "d", "x", {{"a", 0}}});
  EXPECT_TRUE(holds(svg, "<circle"));
  EXPECT_FALSE(holds(svg, "nan"));
}

}  // namespace
}  // namespace adasample
