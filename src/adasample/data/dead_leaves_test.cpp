// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/dead_leaves.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "tests/support/expect_error.h"

namespace adasample {
namespace {

RngKey scene_key(uint64_t scene) {
  return RngKey(7, Draw::kScene).at(0).at(scene);
}

// Power of the horizontal frequency `cycles` in windows of 128 pixels, averaged over rows; Hann window.
double row_power(const GrayImage& image, int cycles) {
  constexpr int kWindow = 128;
  double power = 0;
  for (int y = 0; y < image.height; y += 3) {
    for (int begin = 0; begin + kWindow <= image.width; begin += kWindow / 2) {
      std::complex<double> sum = 0;
      for (int x = 0; x < kWindow; ++x) {
        const double hann = 0.5 - 0.5 * std::cos(2 * std::numbers::pi * (x + 0.5) / kWindow);
        sum += hann * image.at(begin + x, y) * std::polar(1.0, -2 * std::numbers::pi * cycles * x / kWindow);
      }
      power += std::norm(sum);
    }
  }
  return power;
}

// A field whose 2-D power falls like f^-a has rows whose 1-D power falls like f^-(a - 1).
TEST(DeadLeaves, PowerFallsAsInPhotographs) {
  const int low = 4, high = 24;  // of 128: from 1/32 to 3/16 cycles a pixel
  double power_low = 0, power_high = 0;
  for (uint64_t scene = 0; scene < 6; ++scene) {
    const GrayImage image = dead_leaves_scene(scene_key(scene));
    power_low += row_power(image, low);
    power_high += row_power(image, high);
  }
  const double slope = std::log(power_high / power_low) / std::log(double{high} / low) - 1;
  std::printf("power ~ f^%.2f\n", slope);
  EXPECT_GT(slope, -2.8);
  EXPECT_LT(slope, -1.5);
}

// Mostly little change, now and then an edge: far from Gaussian (kurtosis 3).
TEST(DeadLeaves, GradientsAreKurtotic) {
  double second = 0, fourth = 0, count = 0;
  for (uint64_t scene = 0; scene < 4; ++scene) {
    const GrayImage image = dead_leaves_scene(scene_key(scene));
    for (int y = 0; y < image.height; ++y) {
      for (int x = 0; x + 1 < image.width; ++x) {
        const double square = std::pow(image.at(x + 1, y) - image.at(x, y), 2);
        second += square;
        fourth += square * square;
        ++count;
      }
    }
  }
  const double kurtosis = count * fourth / (second * second);
  std::printf("kurtosis %.1f, gradient %.1f grey levels a pixel\n", kurtosis, std::sqrt(second / count));
  EXPECT_GT(kurtosis, 5.0);
}

TEST(DeadLeaves, ScenesFollowTheirKey) {
  const DeadLeavesOptions small = {.width = 64, .height = 48, .leaves = 200};
  const GrayImage a = dead_leaves_scene(scene_key(0), small);
  EXPECT_EQ(a.width, 64);
  EXPECT_EQ(a.height, 48);
  EXPECT_EQ(a.pixels, dead_leaves_scene(scene_key(0), small).pixels);
  EXPECT_NE(a.pixels, dead_leaves_scene(scene_key(1), small).pixels);
  for (const float pixel : a.pixels) EXPECT_TRUE(pixel >= 0 && pixel <= 255);
}

TEST(DeadLeaves, BareGroundIsAScene) {
  EXPECT_EQ(dead_leaves_scene(scene_key(0), {.width = 32, .height = 32, .leaves = 0}).pixels.size(), 1024u);
  testing::expect_error([] { dead_leaves_scene(scene_key(0), {.width = 3}); }, "DeadLeavesOptions::width = 3");
}

}  // namespace
}  // namespace adasample
