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

const RngKey kClass = RngKey(11, Draw::kView).at(2).at(3);

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
      const Affine2 map = draw_view(kClass, v, strength, kSize).patch_from_view;
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
  render_view(pyramid, frame, draw_view(kClass, 0, 0, kSize), kSize, view.data());
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
      render_view(pyramid, frame, draw_view(kClass, v, strength, kSize), kSize, view.data());
      render_view(pyramid, frame, draw_view(kClass, v, strength, kSize), kSize, again.data());
      ASSERT_EQ(view, again);
      for (size_t i = 0; i < plain.size(); ++i) difference += std::abs(plain[i] - view[i]);
    }
    EXPECT_GT(difference, 1.5 * previous);
    previous = difference;
  }
}

Difficulty only(Hardness kind, double factor = 1) {
  Difficulty difficulty{.factors = {}};
  difficulty.set(kind, factor);
  return difficulty;
}

// Share of pixels that a view of one kind of difficulty changes, and the mean change of those.
struct Change {
  double share = 0, mean = 0;
};
Change change_by(const Difficulty& difficulty, double strength) {
  const ScalePyramid pyramid(textured_image());
  const Affine2 frame = patch_frame(100, 90, 20, 0.5, kSize);
  std::vector<uint8_t> plain(kSize * kSize), view(kSize * kSize);
  cut(pyramid, frame, kSize, plain.data());
  Change change;
  double pixels = 0;
  for (uint64_t c = 0; c < 20; ++c) {
    for (int v = 0; v < 20; ++v) {
      render_view(pyramid, frame, draw_view(kClass.at(c), v, strength, kSize, difficulty), kSize, view.data());
      for (size_t i = 0; i < plain.size(); ++i) {
        const int difference = std::abs(plain[i] - view[i]);
        change.share += difference > 2;
        change.mean += difference;
        ++pixels;
      }
    }
  }
  return {change.share / pixels, change.mean / pixels};
}

TEST(Views, EachKindOfDifficultyGrowsWithTheStrengthAndWithItsFactor) {
  for (size_t k = 0; k < kHardnessCount; ++k) {
    const auto kind = static_cast<Hardness>(k);
    const Change weak = change_by(only(kind), 0.3), strong = change_by(only(kind), 1.2);
    EXPECT_GT(weak.mean, 0) << to_string(kind);
    EXPECT_GT(strong.mean, 1.5 * weak.mean) << to_string(kind);
    EXPECT_EQ(change_by(only(kind, 2), 0.6).mean, strong.mean) << to_string(kind);
    EXPECT_EQ(change_by(only(kind, 0), 1.2).mean, 0) << to_string(kind);
  }
}

// Occluders leave the centre alone, and a second surface what lies on the first one.
TEST(Views, WhatStandsInFrontCoversAPartOnly) {
  const double occluded = change_by(only(Hardness::kOcclusion), 1.2).share;
  EXPECT_GT(occluded, 0.03);
  EXPECT_LT(occluded, 0.25) << "half of the views, less than half of each";
  for (int v = 0; v < 500; ++v) {
    const View view = draw_view(kClass, v, 1.2, kSize, parse_difficulty("real"));
    if (view.occluder) {
      EXPECT_LT(view.occluder->where.depth({15.5, 15.5}), 0);
    }
    ASSERT_TRUE(view.second);
    EXPECT_LT(view.second->where.depth({15.5, 15.5}), 0);
    EXPECT_LE(std::hypot(view.second->shift.x, view.second->shift.y), 0.25 * 1.2 * kSize);
  }
}

TEST(Views, TheSurfacesAreTheClasssAndTheirShiftsTheViews) {
  const Difficulty difficulty = only(Hardness::kParallax);
  const View a = draw_view(kClass, 0, 1, kSize, difficulty), b = draw_view(kClass, 1, 1, kSize, difficulty);
  const View other = draw_view(kClass.at(9), 0, 1, kSize, difficulty);
  EXPECT_EQ(a.second->where.x, b.second->where.x);
  EXPECT_NE(a.second->shift.x, b.second->shift.x);
  EXPECT_NE(a.second->where.x, other.second->where.x);
}

// A far surface is uncovered beyond an edge that stays; a near one takes its edge along.
TEST(Views, ANearSurfaceMovesItsEdge) {
  GrayImage image(200, 200, 50);  // white from x = 104 on: the surface that the disc below covers
  for (int y = 0; y < 200; ++y) {
    for (int x = 104; x < 200; ++x) image.at(x, y) = 250;
  }
  const ScalePyramid pyramid(std::move(image));
  const Affine2 frame = Affine2::translation(100 - 15.5, 100 - 15.5);
  View view;
  std::vector<uint8_t> patch(kSize * kSize);
  const auto middle_row = [&](bool near) {
    view.second = SecondSurface{.where = {.x = 19 + 1e6, .y = 15.5, .radius = 1e6}, .near = near, .shift = {5, 0}};
    render_view(pyramid, frame, view, kSize, patch.data());
    return std::vector<uint8_t>(patch.begin() + 16 * kSize, patch.begin() + 17 * kSize);
  };
  const std::vector<uint8_t> far = middle_row(false), near = middle_row(true);
  EXPECT_EQ(far[17], 50) << "before the edge at 19";
  EXPECT_EQ(far[21], 250);
  EXPECT_EQ(near[12], 50) << "before the edge, which has come five pixels nearer";
  EXPECT_EQ(near[16], 250) << "and brings its surface along";
}

TEST(Views, MotionBlursAlongItsDirection) {
  GrayImage image(100, 100, 100);
  for (int y = 0; y < 100; ++y) image.at(50, y) = 200;
  const ScalePyramid pyramid(std::move(image));
  const Affine2 frame = Affine2::translation(50 - 16, 50 - 16);
  std::vector<uint8_t> along(kSize * kSize), across = along, still = along;
  View view;
  render_view(pyramid, frame, view, kSize, still.data());
  view.motion = {0, 6};
  render_view(pyramid, frame, view, kSize, along.data());
  view.motion = {6, 0};
  render_view(pyramid, frame, view, kSize, across.data());
  EXPECT_EQ(along, still);
  EXPECT_LT(across[16 * kSize + 16], 140);
  EXPECT_GT(across[16 * kSize + 14], 105);
  EXPECT_EQ(across[16 * kSize + 10], 100);
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
