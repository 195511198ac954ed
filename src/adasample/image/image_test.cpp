// SPDX-License-Identifier: Apache-2.0
#include "adasample/image/image.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

namespace adasample {
namespace {

TEST(Image, ReflectMirrorsAboutTheBorderSamples) {
  const int expected[] = {1, 2, 1, 0, 1, 2, 1, 0, 1, 2};  // for index -3 .. 6 and n = 3
  for (int i = -3; i <= 6; ++i) EXPECT_EQ(reflect(i, 3), expected[i + 3]) << i;
  EXPECT_EQ(reflect(-100, 1), 0);
}

TEST(Image, BlurKeepsConstantsAndSumsAndHasTheRightWidth) {
  const GrayImage flat = gaussian_blur(GrayImage(9, 7, 42.0f), 2.5);
  for (const float pixel : flat.pixels) EXPECT_NEAR(pixel, 42.0f, 1e-4);

  GrayImage impulse(61, 61);
  impulse.at(30, 30) = 1;
  const GrayImage blurred = gaussian_blur(impulse, 3.0);
  double sum = 0, second_moment = 0;
  for (int y = 0; y < 61; ++y) {
    for (int x = 0; x < 61; ++x) {
      sum += blurred.at(x, y);
      second_moment += blurred.at(x, y) * (x - 30) * (x - 30);
    }
  }
  EXPECT_NEAR(sum, 1.0, 1e-5);
  EXPECT_NEAR(std::sqrt(second_moment), 3.0, 0.06);  // the kernel ends at three sigma
}

TEST(Image, BlurOfNothingAndOfOnePixel) {
  EXPECT_TRUE(gaussian_blur(GrayImage(), 1.0).pixels.empty());
  EXPECT_FLOAT_EQ(gaussian_blur(GrayImage(1, 1, 5.0f), 4.0).at(0, 0), 5.0f);
  EXPECT_EQ(gaussian_blur(GrayImage(2, 1, 5.0f), 0.0).pixels, (std::vector<float>{5, 5}));
}

TEST(Image, HalvingTakesEverySecondPixelOrTheMean) {
  GrayImage image(4, 2);
  std::iota(image.pixels.begin(), image.pixels.end(), 0.0f);
  EXPECT_EQ(subsample(image).pixels, (std::vector<float>{0, 2}));
  EXPECT_EQ(average_2x2(image).pixels, (std::vector<float>{2.5f, 4.5f}));
  EXPECT_EQ(subsample(GrayImage(5, 3)).width, 3);
}

TEST(Image, StandardDeviationIsThatOfThePixels) {
  EXPECT_EQ(standard_deviation(std::vector<uint8_t>{7, 7, 7}), 0);
  EXPECT_DOUBLE_EQ(standard_deviation(std::vector<uint8_t>{0, 255, 0, 255}), 127.5);  // divided by n, not n - 1
}

TEST(Image, BytesAreRoundedAndClipped) {
  GrayImage image(5, 1);
  image.pixels = {-3.0f, 0.49f, 0.51f, 254.6f, std::numeric_limits<float>::infinity()};
  EXPECT_EQ(to_bytes(image), (std::vector<uint8_t>{0, 0, 1, 255, 255}));
}

}  // namespace
}  // namespace adasample
