// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/match/match_drawing.h"

#include <gtest/gtest.h>

#include <opencv2/imgcodecs.hpp>

#include "tests/support/opencv.h"

namespace adasample {
namespace {

cv::Mat drawn(const std::vector<MatchBand>& bands, const DrawingOptions& options = {}) {
  EXPECT_TRUE(testing::have_opencv());
  const GrayImage first(200, 100, 128.0f), second(150, 120, 128.0f);
  const std::string png = draw_matches(first, second, bands, options);
  return cv::imdecode(std::vector<uint8_t>(png.begin(), png.end()), cv::IMREAD_COLOR);
}

int64_t coloured(const cv::Mat& picture) {
  int64_t count = 0;
  picture.forEach<cv::Vec3b>([&](const cv::Vec3b& p, const int*) {
    if (std::max({p[0], p[1], p[2]}) - std::min({p[0], p[1], p[2]}) > 40)
      __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
  });
  return count;
}

TEST(MatchDrawing, ABandAModelAndColourForInliersOnly) {
  const DrawnMatch inlier = {{20, 50}, {100, 50}, true}, other = {{20, 80}, {100, 10}, false};
  const cv::Mat none = drawn({{"a", "b", {other}}}), one = drawn({{"a", "b", {other, inlier}}});
  EXPECT_EQ(coloured(none), 0);
  EXPECT_GT(coloured(one), 200);  // a line of 292 pixels
  EXPECT_EQ(one.cols, 3 * 12 + 200 + 150);
  const cv::Mat both = drawn({{"a", "b", {inlier}}, {"c", "d", {}}});
  EXPECT_EQ(both.rows, 2 * one.rows);
  EXPECT_EQ(coloured(both.rowRange(one.rows, both.rows)), 0) << "the second band has no match";
}

TEST(MatchDrawing, FewerLinesThanInliersButEveryPlace) {
  MatchBand band{.title = "a", .caption = "", .matches = {}};
  for (int i = 0; i < 20; ++i) band.matches.push_back({{10.0 * i, 5.0 * i}, {7.0 * i, 6.0 * i}, true});
  const int64_t all = coloured(drawn({band})), few = coloured(drawn({band}, {.most_lines = 2}));
  EXPECT_LT(few, all / 3);
  EXPECT_GT(few, 2 * 20 * 2) << "dots of a few pixels for both places of each";
}

TEST(MatchDrawing, NoWiderThanAsked) { EXPECT_LE(drawn({{"a", "b", {}}}, {.most_lines = 1, .width = 250}).cols, 250); }

}  // namespace
}  // namespace adasample
