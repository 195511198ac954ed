// SPDX-License-Identifier: Apache-2.0
#include "adasample/report/plot/heat_map.h"

#include <gtest/gtest.h>

namespace adasample {
namespace {

std::vector<Snapshot> snapshots(size_t count, const std::vector<int64_t>& counts) {
  std::vector<Snapshot> result;
  for (size_t i = 0; i < count; ++i)
    result.push_back({.iteration = static_cast<int64_t>(10 * i), .histograms = {{"d", 0, 2, counts}}});
  return result;
}

TEST(HeatMap, AColumnASnapshotARowABin) {
  auto all = snapshots(3, {1, 0, 3, 4});
  all[1].histograms.clear();
  const HeatMap map = make_heat_map(all, "d");
  ASSERT_EQ(map.columns.size(), 2u);
  EXPECT_EQ(map.columns[1].iteration, 20);
  EXPECT_EQ(map.columns[1].counts, (std::vector<int64_t>{1, 0, 3, 4}));
  EXPECT_EQ(map.columns[1].total, 8);
  EXPECT_EQ(map.end, 40);
  EXPECT_EQ(map.largest_share(), 0.5);
  EXPECT_TRUE(make_heat_map(all, "other").columns.empty());
}

TEST(HeatMap, ManySnapshotsAndBinsAreAddedUp) {
  const HeatMap map = make_heat_map(snapshots(250, std::vector<int64_t>(100, 1)), "d");
  ASSERT_EQ(map.columns.size(), 84u);  // three snapshots each, the last has one
  EXPECT_EQ(map.columns[0].counts, std::vector<int64_t>(50, 6));
  EXPECT_EQ(map.columns[83].counts, std::vector<int64_t>(50, 2));
  EXPECT_EQ(map.columns[83].total, 100);
  EXPECT_EQ(map.high, 2);
  // 65 bins are 33 rows of two: the last row reaches beyond the range.
  EXPECT_DOUBLE_EQ(make_heat_map(snapshots(1, std::vector<int64_t>(65, 1)), "d").high, 2.0 / 65 * 66);
}

TEST(HeatMap, DarkestWhereMostAre) {
  const HeatMap map = make_heat_map(snapshots(1, {0, 1, 15, 0}), "d");
  const std::string svg =
      svg_heat_map(map, {.id = "d", .title = "D", .description = "", .run = "r", .run_html = ""}, 15.0 / 16);
  EXPECT_NE(svg.find(R"(<path class="l9" d="M42 )"), std::string::npos) << svg;
  EXPECT_NE(svg.find(R"(<path class="l3" )"), std::string::npos);  // 9 sqrt(1 / 15) = 2.3
  EXPECT_EQ(svg.find(R"(<path class="l5" )"), std::string::npos);
  EXPECT_NE(svg.find(R"(data-counts="0 1 15 0")"), std::string::npos);
  EXPECT_NE(svg.find("93.8 %"), std::string::npos);
}

TEST(HeatMap, ASnapshotOfNothingDrawsNothing) {
  const HeatMap map = make_heat_map(snapshots(1, {0, 0}), "d");
  EXPECT_EQ(map.largest_share(), 0);
  const std::string svg =
      svg_heat_map(map, {.id = "d", .title = "D", .description = "", .run = "r", .run_html = ""}, 1);
  EXPECT_EQ(svg.find(R"(<path class="l)"), std::string::npos);
}

}  // namespace
}  // namespace adasample
