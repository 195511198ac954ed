// SPDX-License-Identifier: Apache-2.0
#include "adasample/image/scenes/dead_leaves.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "tests/support/expect_error.h"

namespace adasample {
namespace {

RngKey scene_key(uint64_t scene) { return RngKey(7, Draw::kScene).at(0).at(scene); }

constexpr int kWindow = 64;

// One-dimensional Fourier transform of kWindow rows, written transposed; two calls make the two-dimensional one.
std::vector<std::complex<double>> transform(const std::vector<std::complex<double>>& in) {
  std::vector<std::complex<double>> wave(kWindow), out(kWindow * kWindow);
  for (int i = 0; i < kWindow; ++i) wave[static_cast<size_t>(i)] = std::polar(1.0, -2 * std::numbers::pi * i / kWindow);
  for (int y = 0; y < kWindow; ++y) {
    for (int f = 0; f < kWindow; ++f) {
      std::complex<double> sum = 0;
      for (int x = 0; x < kWindow; ++x) {
        sum += in[static_cast<size_t>(y * kWindow + x)] * wave[static_cast<size_t>(f * x % kWindow)];
      }
      out[static_cast<size_t>(f * kWindow + y)] = sum;
    }
  }
  return out;
}

// Adds the power of the window at (left, top) to rings of equal frequency, as sums and counts.
void add_power(const GrayImage& image, int left, int top, std::vector<double>& power, std::vector<double>& count) {
  const auto hann = [](int i) { return 0.5 - 0.5 * std::cos(2 * std::numbers::pi * (i + 0.5) / kWindow); };
  std::vector<std::complex<double>> window(kWindow * kWindow);
  for (int y = 0; y < kWindow; ++y) {
    for (int x = 0; x < kWindow; ++x) {
      window[static_cast<size_t>(y * kWindow + x)] = hann(x) * hann(y) * (image.at(left + x, top + y) - 128);
    }
  }
  window = transform(transform(window));
  for (int y = 0; y < kWindow; ++y) {
    for (int x = 0; x < kWindow; ++x) {
      const double radius = std::hypot(std::min(x, kWindow - x), std::min(y, kWindow - y));
      const auto ring = static_cast<size_t>(std::lround(radius));
      if (ring >= power.size()) continue;
      power[ring] += std::norm(window[static_cast<size_t>(y * kWindow + x)]);
      ++count[ring];
    }
  }
}

// Photographs: power ~ f^-2, give or take; seen here from 1/20 to 1/4 of a cycle a pixel.
TEST(DeadLeaves, PowerFallsAsInPhotographs) {
  std::vector<double> power(kWindow / 2), count(kWindow / 2);
  for (uint64_t scene = 0; scene < 6; ++scene) {
    const GrayImage image = dead_leaves_scene(scene_key(scene));
    for (int top = 0; top + kWindow <= image.height; top += 2 * kWindow) {
      for (int left = 0; left + kWindow <= image.width; left += 2 * kWindow) add_power(image, left, top, power, count);
    }
  }
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;  // the line through log power over log frequency
  for (size_t ring = 3; ring <= 16; ++ring) {
    const double x = std::log(static_cast<double>(ring)), y = std::log(power[ring] / count[ring]);
    n += 1;
    sx += x;
    sy += y;
    sxx += x * x;
    sxy += x * y;
  }
  const double slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
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
