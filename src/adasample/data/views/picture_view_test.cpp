// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/views/picture_view.h"

#include <gtest/gtest.h>

#include <cmath>

#include "adasample/image/scenes/dead_leaves.h"

namespace adasample {
namespace {

constexpr int kWidth = 200, kHeight = 150;
const RngKey kPicture = RngKey(4, Draw::kView).at(8);

const ScalePyramid& leaves() {
  static const ScalePyramid pyramid([] {
    const GrayImage scene = dead_leaves_scene(RngKey(2, Draw::kScene));
    GrayImage part(kWidth, kHeight);
    for (int y = 0; y < kHeight; ++y) std::copy_n(scene.row(y + 40) + 60, kWidth, part.row(y));
    return part;
  }());
  return pyramid;
}

PictureView draw(const char* hard, int view = 3, double strength = 1) {
  return draw_picture_view(kPicture, view, strength, kWidth, kHeight, parse_difficulty(hard), /*jpeg=*/false);
}

double mean_change(const GrayImage& a, const GrayImage& b) {
  double sum = 0;
  for (size_t i = 0; i < a.pixels.size(); ++i) sum += std::abs(a.pixels[i] - b.pixels[i]);
  return sum / static_cast<double>(a.pixels.size());
}

TEST(PictureView, StrengthZeroIsThePictureItself) {
  const GrayImage seen = render_picture_view(leaves(), draw("real", 3, 0));
  EXPECT_LT(mean_change(seen, leaves().level(0, 0).image), 0.51);  // whole grey levels
}

TEST(PictureView, IsAFunctionOfItsNames) {
  const GrayImage once = render_picture_view(leaves(), draw("real"));
  EXPECT_EQ(once.pixels, render_picture_view(leaves(), draw("real")).pixels);
  EXPECT_GT(mean_change(once, render_picture_view(leaves(), draw("real", 4))), 3);
  EXPECT_EQ(once.width, kWidth);
  EXPECT_EQ(once.height, kHeight);
}

// The value at p of the view is that of the picture at picture_from_view(p), where the view is neither a blurred nor a
// changed one.
TEST(PictureView, ShowsThePictureThroughItsHomography) {
  GrayImage ramp(kWidth, kHeight);
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) ramp.at(x, y) = static_cast<float>(20 + 0.6 * x + 0.5 * y);
  }
  const ScalePyramid pyramid(std::move(ramp));
  const char* warp_only = "light=0,contrast=0,blur=0,noise=0";
  double farthest = 0;
  for (int v = 0; v < 10; ++v) {
    const PictureView view = draw(warp_only, v, 1.2);
    const GrayImage seen = render_picture_view(pyramid, view);
    for (const Point2 p : {Point2{100, 75}, {40, 40}, {160, 100}}) {
      const Point2 q = view.picture_from_view(p);
      farthest = std::max(farthest, std::hypot(q.x - p.x, q.y - p.y));
      if (q.x < 10 || q.y < 10 || q.x > kWidth - 10 || q.y > kHeight - 10) continue;  // blur meets the reflection
      EXPECT_NEAR(seen.at(static_cast<int>(p.x), static_cast<int>(p.y)), 20 + 0.6 * q.x + 0.5 * q.y, 1);
    }
  }
  EXPECT_GT(farthest, 20);
}

// However strong the warp, no horizon runs through the view.
TEST(PictureView, TheHorizonStaysAway) {
  for (int v = 0; v < 500; ++v) {
    const PictureView view = draw("warp=10", v, 1.2);
    for (const Point2 p : {Point2{0, 0}, {kWidth + 64, 0}, {0, kHeight + 64}, {kWidth + 64, kHeight + 64}}) {
      EXPECT_GT(view.picture_from_view.linearised_at(p).determinant(), 0);
    }
  }
}

TEST(PictureView, NearSurfacesShiftAndThePlaneStays) {
  const PictureView view = draw("warp=0,light=0,contrast=0,blur=0,noise=0,parallax=4");
  const PictureView other = draw("warp=0,light=0,contrast=0,blur=0,noise=0,parallax=4", 5);
  ASSERT_FALSE(view.near.empty());
  EXPECT_EQ(view.near[0].x, other.near[0].x) << "surfaces are the picture's";
  EXPECT_NE(view.shift.x, other.shift.x);
  const GrayImage seen = render_picture_view(leaves(), view);
  const GrayImage& picture = leaves().level(0, 0).image;
  int near = 0, plane = 0;
  for (int y = 5; y < kHeight - 5; ++y) {
    for (int x = 5; x < kWidth - 5; ++x) {
      const Point2 p = {static_cast<double>(x), static_cast<double>(y)};
      const bool shown = view.shows_near(p);
      (shown ? near : plane) += 1;
      const Point2 q = view.picture_from_surface(true)(p);
      double depth = -1e9;
      for (const Disc& disc : view.near) depth = std::max(depth, disc.depth(q));
      if (std::abs(depth) < 1) continue;  // the edge itself
      if (!shown) {
        EXPECT_NEAR(seen.at(x, y), picture.at(x, y), 1);
      }
    }
  }
  EXPECT_GT(near, 500);
  EXPECT_GT(plane, 500);
  EXPECT_GT(mean_change(seen, picture), 1);
}

TEST(PictureView, WhatStandsInFrontIsKnown) {
  const PictureView view = draw("warp=0,light=0,contrast=0,blur=0,noise=0,occlusion=1");
  const GrayImage seen = render_picture_view(leaves(), view);
  const GrayImage& picture = leaves().level(0, 0).image;
  int changed = 0;
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      const bool differs = std::abs(seen.at(x, y) - picture.at(x, y)) > 1;
      changed += differs;
      if (differs) {
        EXPECT_TRUE(view.is_covered({static_cast<double>(x), static_cast<double>(y)}, 1));
      }
    }
  }
  EXPECT_GT(changed, 100);
  EXPECT_LT(changed, kWidth * kHeight / 2);
}

TEST(PictureView, EachOtherKindChangesTheView) {
  const GrayImage& picture = leaves().level(0, 0).image;
  for (const char* kind : {"light=1", "contrast=1", "blur=1", "noise=1", "shadow=1", "motion=5"}) {
    double change = 0;
    for (int v = 0; v < 4; ++v) {  // shadow and motion are not in every view
      const std::string hard = std::string("warp=0,light=0,contrast=0,blur=0,noise=0,") + kind;
      change += mean_change(render_picture_view(leaves(), draw(hard.c_str(), v)), picture);
    }
    EXPECT_GT(change / 4, 0.6) << kind;
  }
}

}  // namespace
}  // namespace adasample
