// SPDX-License-Identifier: Apache-2.0
#include "adasample/report/plot/svg_plot.h"

#include <gtest/gtest.h>

namespace adasample {
namespace {

Plot plot_of(const std::vector<double>& values) {
  Plot plot{.id = "m", .title = "M", .x = linear_scale(0, 4), .y = linear_scale(0, 1), .span = 1};
  PlotSeries series{.name = "run", .style = "s0"};
  for (size_t i = 0; i < values.size(); ++i)
    series.points.push_back({static_cast<double>(i), values[i], values[i] - 0.1, values[i] + 0.1});
  plot.series.push_back(series);
  return plot;
}

TEST(SvgPlot, PointsAreWhereTheAxesSay) {
  const std::string svg = svg_plot(plot_of({0, 1, 0.5, 0, 1}));
  EXPECT_NE(svg.find(R"(<path class="line" d="M42 164 118 8 194 86 270 164 346 8"/>)"), std::string::npos) << svg;
  EXPECT_NE(svg.find(R"(data-x="0 1 2 3 4" data-y="0 1 0.5 0 1")"), std::string::npos);
  EXPECT_EQ(svg.find("class=\"band\""), std::string::npos);
}

TEST(SvgPlot, AGapBreaksTheLineAndALonePointIsADot) {
  const std::string svg = svg_plot(plot_of({0, NAN, 0.5, NAN, 1}));
  EXPECT_NE(svg.find(R"(d="M42 164h0M194 86h0M346 8h0")"), std::string::npos) << svg;
  EXPECT_NE(svg.find(R"(data-y="0 - 0.5 - 1")"), std::string::npos);
}

TEST(SvgPlot, BandGoesThereAndBack) {
  Plot plot = plot_of({0.5, 0.5});
  plot.series[0].band = true;
  EXPECT_NE(svg_plot(plot).find(R"(<path class="band" d="M42 70.4 118 70.4 118 101.6 42 101.6z"/>)"), std::string::npos)
      << svg_plot(plot);
}

TEST(SvgPlot, NothingFiniteIsSaid) {
  for (const auto& values : {std::vector<double>{}, std::vector<double>{NAN, NAN}}) {
    const std::string svg = svg_plot(plot_of(values));
    EXPECT_NE(svg.find("no finite value"), std::string::npos);
    EXPECT_EQ(svg.find("nan"), std::string::npos);
  }
  EXPECT_EQ(svg_plot(plot_of({1})).find("no finite value"), std::string::npos);
}

TEST(SvgPlot, NamesAreEscapedWhereverTheyStand) {
  Plot plot = plot_of({1});
  plot.id = plot.title = plot.description = plot.x_label = plot.series[0].name = "\"><script>";
  EXPECT_EQ(svg_plot(plot).find("<script>"), std::string::npos);
  EXPECT_EQ(svg_plot(plot).find("\"\"><"), std::string::npos);
}

}  // namespace
}  // namespace adasample
