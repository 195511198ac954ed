// SPDX-License-Identifier: Apache-2.0
#include "adasample/report/plot/buckets.h"

#include <gtest/gtest.h>

#include <cmath>

namespace adasample {
namespace {

Series counting(int64_t n, int64_t first = 0) {
  Series series{.name = "x"};
  for (int64_t i = 0; i < n; ++i) {
    series.iterations.push_back(first + i);
    series.values.push_back(0.1 * static_cast<double>(i));
  }
  return series;
}

TEST(Buckets, FewPointsStayAsTheyAre) {
  const Series series = counting(600, 17);
  const auto buckets = bucketed(series, make_grid({&series}));
  ASSERT_EQ(buckets.size(), 600u);
  for (size_t i = 0; i < buckets.size(); ++i) {
    EXPECT_EQ(buckets[i].iteration, series.iterations[i]);
    EXPECT_EQ(buckets[i].mean, series.values[i]);
  }
}

TEST(Buckets, ManyPointsKeepTheirExtremes) {
  Series series = counting(100000);
  series.values[54321] = 1e6;
  series.values[77777] = -1e6;
  const Grid grid = make_grid({&series});
  const auto buckets = bucketed(series, grid);
  EXPECT_EQ(grid.width, 167);
  EXPECT_EQ(buckets.size(), 599u);
  double low = INFINITY, high = -INFINITY, sum = 0;
  for (const Bucket& b : buckets) {
    low = std::min(low, b.low);
    high = std::max(high, b.high);
    sum += b.mean * static_cast<double>(&b == &buckets.back() ? 100000 - 598 * 167 : 167);
  }
  EXPECT_EQ(low, -1e6);
  EXPECT_EQ(high, 1e6);
  double expected = 0;
  for (const double value : series.values) expected += value;
  EXPECT_NEAR(sum, expected, 1e-9 * expected);  // rounding of 100,000 additions
}

TEST(Buckets, RunsOfAChartShareTheirGrid) {
  const Series a = counting(1000), b = counting(400, 5000), none{.name = "none"};
  const Grid grid = make_grid({&a, &b, &none});
  EXPECT_EQ(grid.first, 0);
  EXPECT_EQ(grid.last, 5399);
  EXPECT_EQ(grid.width, 9);
  for (const Bucket& bucket : bucketed(b, grid)) EXPECT_EQ(bucket.iteration % 9, 0);
  EXPECT_EQ(make_grid({&none}).width, 1);
  EXPECT_TRUE(bucketed(none, grid).empty());
}

TEST(Buckets, NullsAreGapsOnlyWhereNothingElseIs) {
  Series series = counting(8);
  for (const size_t i : {2, 4, 5}) series.values[i] = NAN;
  const auto buckets = bucketed(series, {.first = 0, .last = 7, .width = 2});
  ASSERT_EQ(buckets.size(), 4u);
  EXPECT_EQ(buckets[1].mean, series.values[3]);
  EXPECT_TRUE(std::isnan(buckets[2].mean));
  EXPECT_DOUBLE_EQ(buckets[3].mean, 0.65);
}

TEST(Buckets, HugeValuesStayFinite) {
  const Series series{.name = "x", .iterations = {0, 1}, .values = {1.7e308, -1.7e308}};
  const auto buckets = bucketed(series, {.first = 0, .last = 1, .width = 2});
  EXPECT_TRUE(std::isfinite(buckets[0].mean));
  EXPECT_TRUE(std::isfinite(buckets[0].high - buckets[0].low));
}

}  // namespace
}  // namespace adasample
