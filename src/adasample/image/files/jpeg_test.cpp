// SPDX-License-Identifier: Apache-2.0
#include "adasample/image/files/jpeg.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "adasample/base/random/rng.h"

namespace adasample {
namespace {

std::vector<uint8_t> noisy_ramp() {
  std::vector<uint8_t> patch;
  RngStream rng(RngKey(1, Draw::kView));
  for (int i = 0; i < 32 * 32; ++i) patch.push_back(static_cast<uint8_t>(40 + 4 * (i % 32) + rng.index(40)));
  return patch;
}

double mean_change(int quality, int shift_x = 0, int shift_y = 0) {
  const std::vector<uint8_t> before = noisy_ramp();
  std::vector<uint8_t> after = before;
  jpeg_round_trip(after, 32, quality, shift_x, shift_y);
  double sum = 0;
  for (size_t i = 0; i < after.size(); ++i) sum += std::abs(after[i] - before[i]);
  return sum / static_cast<double>(after.size());
}

TEST(Jpeg, LosesMoreAtLowerQuality) {
  EXPECT_LT(mean_change(100), 1);
  EXPECT_GT(mean_change(80), mean_change(100));
  EXPECT_GT(mean_change(20), mean_change(80));
  EXPECT_LT(mean_change(20), 20);  // but it is still the same patch
}

// At the lowest quality a block keeps little but its mean: the grid shows where it was put.
TEST(Jpeg, TheGridLiesWhereItIsAskedTo) {
  for (const int shift : {0, 3}) {
    std::vector<uint8_t> patch = noisy_ramp();
    jpeg_round_trip(patch, 32, 1, shift, 0);
    const auto step = [&](int x) {  // mean absolute difference across the line left of column x
      double sum = 0;
      for (int y = 0; y < 32; ++y) {
        sum += std::abs(patch[static_cast<size_t>(y * 32 + x)] - patch[static_cast<size_t>(y * 32 + x - 1)]);
      }
      return sum / 32;
    };
    const int edge = 16 - shift, inside = edge + 4;
    EXPECT_GT(step(edge), 3 * step(inside) + 1) << "shift " << shift;
  }
}

TEST(Jpeg, IsAPureFunction) { EXPECT_EQ(mean_change(50, 5, 2), mean_change(50, 5, 2)); }

TEST(JpegRoundTrip, APictureNeedNotBeSquare) {
  ByteImage image{.width = 40, .height = 24, .pixels = std::vector<uint8_t>(40 * 24)};
  for (size_t i = 0; i < image.pixels.size(); ++i) image.pixels[i] = static_cast<uint8_t>(i % 40 * 6);
  const auto distance = [&](int quality) {
    ByteImage copy = image;
    jpeg_round_trip(copy, quality);
    EXPECT_EQ(copy.pixels.size(), image.pixels.size());
    double sum = 0;
    for (size_t i = 0; i < copy.pixels.size(); ++i) sum += std::abs(copy.pixels[i] - image.pixels[i]);
    return sum / static_cast<double>(copy.pixels.size());
  };
  EXPECT_LT(distance(100), 1);  // rounding
  EXPECT_LT(distance(100), distance(20));
  EXPECT_LT(distance(20), 12) << "still the same ramp, row by row";
}

}  // namespace
}  // namespace adasample
