// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "adasample/features/match/match_drawing.h"
#include "tests/support/expect_error.h"

namespace adasample {
namespace {

TEST(SpreadChoice, TheFarthestNext) {
  const std::vector<Point2> line = {{0, 0}, {1, 0}, {2, 0}, {10, 0}, {6, 0}};
  EXPECT_EQ(spread_choice(line, 3), (std::vector<size_t>{0, 3, 4}));
  EXPECT_EQ(spread_choice(line, 9), (std::vector<size_t>{0, 3, 4, 2, 1}));
  EXPECT_TRUE(spread_choice(line, 0).empty());
  EXPECT_TRUE(spread_choice({}, 3).empty());
  EXPECT_EQ(spread_choice(std::vector<Point2>(3), 3).size(), 3u) << "equal points, each once";
}

TEST(SpreadChoice, DrawingOptions) {
  testing::expect_error([] { DrawingOptions{.most_lines = 0}.validate(); }, "most_lines = 0, must be 1 to 100,000");
  testing::expect_error([] { DrawingOptions{.width = 10}.validate(); }, "width = 10, must be 200 to 10,000");
}

}  // namespace
}  // namespace adasample
