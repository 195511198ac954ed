// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/regions/patch_cutter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "adasample/base/random/rng.h"

namespace adasample {
namespace {

constexpr int kSize = 32;
constexpr double kTwoPi = 2 * std::numbers::pi;

// 127.5 + amplitude * cos(2 pi f (x cos a + y sin a))
GrayImage grating(int extent, double frequency, double angle, double amplitude) {
  GrayImage image(extent, extent);
  for (int y = 0; y < extent; ++y) {
    for (int x = 0; x < extent; ++x) {
      const double phase = kTwoPi * frequency * (x * std::cos(angle) + y * std::sin(angle));
      image.at(x, y) = static_cast<float>(127.5 + amplitude * std::cos(phase));
    }
  }
  return image;
}

// Patch at the middle of a square image, one sample every `reduction` pixels.
std::vector<float> cut_middle(const GrayImage& image, double reduction, double angle, double extra_blur = 0) {
  const double middle = 0.5 * (image.width - 1);
  std::vector<float> patch(kSize * kSize);
  const Affine2 frame = patch_frame(middle, middle, 0.5 * kSize * reduction, angle, kSize);
  cut(ScalePyramid(image), frame, kSize, patch.data(), extra_blur);
  return patch;
}

float contrast(const std::vector<float>& patch) {
  const auto [low, high] = std::minmax_element(patch.begin(), patch.end());
  return *high - *low;
}

TEST(PatchCutter, IdentityReproducesThePixels) {
  GrayImage noise(kSize, kSize);
  RngStream rng(RngKey(1, Draw::kScene));
  for (float& pixel : noise.pixels) pixel = static_cast<float>(rng.index(256));
  std::vector<uint8_t> patch(kSize * kSize);
  cut(ScalePyramid(noise), Affine2(), kSize, patch.data());
  EXPECT_EQ(patch, to_bytes(noise));
}

TEST(PatchCutter, PixelCentresLieAtIntegers) {
  GrayImage ramp(64, 64);
  for (int y = 0; y < 64; ++y) {
    for (int x = 0; x < 64; ++x) ramp.at(x, y) = static_cast<float>(2 * x + y);
  }
  const ScalePyramid pyramid(ramp);
  std::vector<float> patch(8 * 8);
  for (const double reduction : {0.5, 1.0, 1.7, 3.0}) {
    cut(pyramid, Affine2{reduction, 0, 20.25, 0, reduction, 19.5}, 8, patch.data());
    for (int v = 0; v < 8; ++v) {
      for (int u = 0; u < 8; ++u) {
        const double expected = 2 * (20.25 + reduction * u) + 19.5 + reduction * v;
        EXPECT_NEAR(patch[static_cast<size_t>(v * 8 + u)], expected, 0.05) << reduction;
      }
    }
  }
}

// A grating the patch cannot show, from 1.3 times its Nyquist frequency up, must not come back as another pattern.
TEST(PatchCutter, WhatIsTooFineForThePatchDisappears) {
  for (const double reduction : {2.0, 2.6, 3.3, 4.0, 5.7, 8.0}) {
    for (const double above_nyquist : {1.3, 1.6, 2.0, 2.9}) {
      const double frequency = above_nyquist * 0.5 / reduction;
      if (frequency > 0.5) continue;
      for (const double angle : {0.0, 0.4}) {
        const GrayImage image = grating(400, frequency, angle, 127.5);
        EXPECT_LT(contrast(cut_middle(image, reduction, 0.2)), 0.02 * 255) << reduction << " " << above_nyquist;
      }
    }
  }
}

// What it can show survives: a period of 45 patch pixels loses 0.6 % of its contrast at most.
TEST(PatchCutter, SmoothImagesAreReproduced) {
  for (const double reduction : {0.7, 1.0, 1.5, 2.0, 2.9, 4.0}) {
    const double frequency = 1 / (45 * std::max(1.0, reduction));
    const GrayImage image = grating(400, frequency, 0.3, 100);
    const std::vector<float> patch = cut_middle(image, reduction, 0.0);
    for (int v = 0; v < kSize; ++v) {
      for (int u = 0; u < kSize; ++u) {
        const double x = 199.5 + reduction * (u - 15.5), y = 199.5 + reduction * (v - 15.5);
        const double expected = 127.5 + 100 * std::cos(kTwoPi * frequency * (x * std::cos(0.3) + y * std::sin(0.3)));
        EXPECT_NEAR(patch[static_cast<size_t>(v * kSize + u)], expected, 1.0) << reduction;
      }
    }
  }
}

TEST(PatchCutter, ExtraBlurHasItsSigma) {
  // A Gaussian of sigma s scales a cosine of f cycles a pixel by exp(-2 pi^2 s^2 f^2).
  for (const double reduction : {0.8, 2.5}) {
    const double frequency = 0.1 / reduction;  // 0.1 cycles a patch pixel
    const GrayImage image = grating(300, frequency, 0.0, 100);
    const double ratio = contrast(cut_middle(image, reduction, 0, 1.5)) / contrast(cut_middle(image, reduction, 0));
    EXPECT_NEAR(ratio, std::exp(-0.5 * kTwoPi * kTwoPi * 1.5 * 1.5 * 0.01), 0.03) << reduction;
  }
}

TEST(PatchCutter, BeyondTheImageLiesItsReflection) {
  GrayImage ramp(40, 40);
  for (int y = 0; y < 40; ++y) {
    for (int x = 0; x < 40; ++x) ramp.at(x, y) = static_cast<float>(x);
  }
  std::vector<uint8_t> patch(16);
  cut(ScalePyramid(ramp), Affine2::translation(-3, 10), 4, patch.data());
  EXPECT_EQ(std::vector<uint8_t>(patch.begin(), patch.begin() + 4), (std::vector<uint8_t>{3, 2, 1, 0}));
}

// A ramp seen through a perspective: every sample is exactly where the homography puts it.
TEST(PatchCutter, HomographiesAreFollowedExactly) {
  GrayImage ramp(200, 200);
  for (int y = 0; y < 200; ++y) {
    for (int x = 0; x < 200; ++x) ramp.at(x, y) = static_cast<float>(x + 0.25 * y);
  }
  const ScalePyramid pyramid(ramp);
  for (const double zoom : {0.8, 1.0, 2.2}) {
    const Homography image_from_patch({zoom, 0.1, 60, -0.2, zoom, 70, 4e-3, 2e-3, 1});
    ASSERT_TRUE(is_inside(image_from_patch, kSize, 200, 200));
    std::vector<float> patch(kSize * kSize);
    cut(pyramid, image_from_patch, kSize, patch.data());
    for (int v = 0; v < kSize; ++v) {
      for (int u = 0; u < kSize; ++u) {
        const Point2 p = image_from_patch({static_cast<double>(u), static_cast<double>(v)});
        EXPECT_NEAR(patch[static_cast<size_t>(v * kSize + u)], p.x + 0.25 * p.y, 0.05) << zoom;
      }
    }
  }
}

TEST(PatchCutter, AnAffineHomographyCutsWhatTheAffineMapDoes) {
  const ScalePyramid pyramid(grating(300, 0.05, 0.6, 100));
  for (const double half_width : {10.0, 40.0, 90.0}) {
    const Affine2 frame = patch_frame(150, 150, half_width, 0.4, kSize);
    std::vector<float> affine(kSize * kSize), projected(kSize * kSize);
    cut(pyramid, frame, kSize, affine.data());
    cut(pyramid, Homography(frame), kSize, projected.data());
    for (size_t i = 0; i < affine.size(); ++i) EXPECT_NEAR(affine[i], projected[i], 0.02);  // float coordinates
  }
}

TEST(PatchCutter, TheHorizonIsNoPlaceToCut) {
  const Affine2 frame = patch_frame(50, 40, 12, 0, kSize);
  for (const double sign : {1.0, -1.0}) {  // a factor changes nothing
    EXPECT_TRUE(is_inside(Homography({sign, 0, 0, 0, sign, 0, 0, 0, sign}) * Homography(frame), kSize, 63, 53));
  }
  EXPECT_FALSE(is_inside(Homography(frame), kSize, 62, 52));
  // Depth 0 runs through the patch: its corners land inside the image, its middle at infinity.
  const Homography across = Homography({0, 30, 0, 30, 0, 0, 1, 0, -50}) * Homography(frame);
  const Homography shifted = Homography(Affine2::translation(1000, 1000)) * across;
  for (const Point2 p : square_corners(Affine2(), -0.5, kSize - 0.5)) {
    EXPECT_LT(std::abs(shifted(p).x - 1000), 500);
    EXPECT_LT(std::abs(shifted(p).y - 1000), 500);
  }
  EXPECT_FALSE(is_inside(shifted, kSize, 2000, 2000));
}

TEST(PatchCutter, FrameCoversTheSquareItWasAskedFor) {
  const Affine2 frame = patch_frame(50, 40, 12, std::numbers::pi / 2, kSize);
  const Point2 right_edge = frame({kSize - 0.5, 0.5 * (kSize - 1)});
  EXPECT_NEAR(right_edge.x, 50, 1e-9);  // the patch's +x axis points down
  EXPECT_NEAR(right_edge.y, 52, 1e-9);
  EXPECT_TRUE(is_inside(frame, kSize, 63, 53));
  EXPECT_FALSE(is_inside(frame, kSize, 62, 53));
}

// Pixels are squares around their centres: an image of 40 x 30 reaches from -1/2 to 39 1/2 and 29 1/2.
TEST(PatchCutter, InsideReachesToTheOuterEdgeOfTheBorderPixels) {
  const auto inside = [](double x, double y) {
    const Affine2 frame = patch_frame(x, y, 8, 0, kSize);
    const bool whole = is_inside(frame, kSize, 40, 30);
    EXPECT_EQ(is_inside(Homography(frame), kSize, 40, 30), whole) << x << " " << y;
    return whole;
  };
  EXPECT_TRUE(inside(20, 15));
  EXPECT_TRUE(inside(7.51, 15) && inside(20, 7.51)) << "left and upper edge";
  EXPECT_FALSE(inside(7.49, 15) || inside(20, 7.49));
  EXPECT_TRUE(inside(31.49, 15) && inside(20, 21.49)) << "right and lower edge";
  EXPECT_FALSE(inside(31.51, 15) || inside(20, 21.51));
}

}  // namespace
}  // namespace adasample
