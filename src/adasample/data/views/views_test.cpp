// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/views/views.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "adasample/features/regions/patch_cutter.h"
#include "tests/support/expect_error.h"

namespace adasample {
namespace {

constexpr int kSize = 32;

RngKey key_of(int view) { return RngKey(11, Draw::kView).at(2).at(3).at(static_cast<uint64_t>(view)); }

GrayImage textured_image() {
  GrayImage image(200, 200);
  for (int y = 0; y < 200; ++y) {
    for (int x = 0; x < 200; ++x) {
      image.at(x, y) =
          static_cast<float>(127 + 60 * std::sin(0.11 * x + 0.03 * y) + 40 * std::cos(0.09 * y - 0.05 * x));
    }
  }
  return image;
}

TEST(Views, NamesGoThereAndBack) {
  EXPECT_EQ(jitter_names().size(), 4u);
  for (const std::string_view name : jitter_names()) EXPECT_EQ(to_string(parse_jitter(name)), name);
  EXPECT_EQ(parse_jitter("graded"), Jitter::kGraded);
  EXPECT_EQ(parse_jitter("wide"), Jitter::kWide);
  testing::expect_error([] { parse_jitter("huge"); }, "jitter = \"huge\"", "graded, narrow, middle, wide");
}

TEST(Views, GradedStrengthRisesLinearly) {
  EXPECT_DOUBLE_EQ(view_strength(Jitter::kGraded, 0, 16), 0.15);
  EXPECT_DOUBLE_EQ(view_strength(Jitter::kGraded, 15, 16), 1.2);
  EXPECT_NEAR(view_strength(Jitter::kGraded, 5, 11), 0.675, 1e-12);
  EXPECT_DOUBLE_EQ(view_strength(Jitter::kGraded, 0, 1), 0.15);
  EXPECT_DOUBLE_EQ(view_strength(Jitter::kNarrow, 3, 16), 0.4);
}

TEST(Views, StrengthBoundsTheGeometry) {
  double widest_turn = 0, widest_shift = 0;
  for (const double strength : {0.15, 1.0}) {
    for (int v = 0; v < 2000; ++v) {
      const Affine2 map = draw_view(key_of(v), strength, kSize).patch_from_view;
      const double octaves = 0.5 * std::log2(map.determinant());
      EXPECT_LE(std::abs(octaves), 0.35 * strength + 1e-9);
      const Point2 centre = map({15.5, 15.5});
      EXPECT_LE(std::abs(centre.x - 15.5), 0.15 * kSize * strength + 1e-9);
      const double stretch = map.largest_singular_value() / std::sqrt(map.determinant());
      EXPECT_LE(std::log2(stretch), 0.1 * strength + 1e-9);
      const double turn = std::atan2(map.c - map.b, map.a + map.d);
      EXPECT_LE(std::abs(turn), strength * 25 * std::numbers::pi / 180 + 1e-9);
      widest_turn = std::max(widest_turn, std::abs(turn));
      widest_shift = std::max(widest_shift, std::abs(centre.y - 15.5));
    }
  }
  EXPECT_GT(widest_turn, 24 * std::numbers::pi / 180);  // the range is used
  EXPECT_GT(widest_shift, 0.14 * kSize);
}

TEST(Views, StrengthZeroIsThePatchItself) {
  const ScalePyramid pyramid(textured_image());
  const Affine2 frame = patch_frame(100, 90, 20, 0.5, kSize);
  std::vector<uint8_t> plain(kSize * kSize), view(kSize * kSize);
  cut(pyramid, frame, kSize, plain.data());
  render_view(pyramid, frame, draw_view(key_of(0), 0, kSize), kSize, view.data());
  EXPECT_EQ(plain, view);
}

TEST(Views, AreReproducibleAndHarderWithStrength) {
  const ScalePyramid pyramid(textured_image());
  const Affine2 frame = patch_frame(100, 90, 20, 0.5, kSize);
  std::vector<uint8_t> plain(kSize * kSize), view(kSize * kSize), again(kSize * kSize);
  cut(pyramid, frame, kSize, plain.data());
  double previous = 0;
  for (const double strength : {0.15, 0.6, 1.2}) {
    double difference = 0;
    for (int v = 0; v < 100; ++v) {
      render_view(pyramid, frame, draw_view(key_of(v), strength, kSize), kSize, view.data());
      render_view(pyramid, frame, draw_view(key_of(v), strength, kSize), kSize, again.data());
      ASSERT_EQ(view, again);
      for (size_t i = 0; i < plain.size(); ++i) difference += std::abs(plain[i] - view[i]);
    }
    EXPECT_GT(difference, 1.5 * previous);
    previous = difference;
  }
}

TEST(Views, PhotometryFollowsItsFormula) {
  const ScalePyramid pyramid(GrayImage(100, 100, 100.0f));
  View view;
  view.shade_x = 0.2;
  view.gamma = 2;
  view.gain = 0.5;
  view.bias = 10;
  std::vector<uint8_t> patch(kSize * kSize);
  render_view(pyramid, patch_frame(50, 50, 16, 0, kSize), view, kSize, patch.data());
  for (const int x : {0, 20, 31}) {
    const double lit = 100 * (1 + 0.2 * (x - 15.5) / 16);
    EXPECT_NEAR(patch[static_cast<size_t>(x)], 127.5 + 0.5 * (lit * lit / 255 - 127.5) + 10, 1.0);
  }
}

}  // namespace
}  // namespace adasample
