// SPDX-License-Identifier: Apache-2.0
#include "adasample/image/warp.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/support/expect_error.h"

namespace adasample {
namespace {

GrayImage ramp(int width, int height) {
  GrayImage image(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) image.at(x, y) = static_cast<float>(10 * y + x);
  }
  return image;
}

TEST(Warp, QuarterTurnAboutTheCentreMovesPixels) {
  const GrayImage image = ramp(4, 4);
  const Affine2 turn = Affine2::translation(1.5, 1.5) * Affine2::rotation(std::numbers::pi / 2) *
                       Affine2::translation(-1.5, -1.5);  // patch (x, y) reads image (3 - y, x)
  GrayImage out(4, 4);
  add_warped(image, turn, 4, 1, out.pixels.data());
  for (int y = 0; y < 4; ++y) {
    for (int x = 0; x < 4; ++x) EXPECT_NEAR(out.at(x, y), image.at(3 - y, x), 1e-4) << x << " " << y;
  }
}

TEST(Warp, IsBilinearAndAddsWithItsWeight) {
  GrayImage out(2, 2, 100);
  add_warped(ramp(4, 4), Affine2::translation(0.25, 1.5), 2, 2, out.pixels.data());
  EXPECT_EQ(out.pixels, (std::vector<float>{100 + 2 * 15.25f, 100 + 2 * 16.25f, 100 + 2 * 25.25f, 100 + 2 * 26.25f}));
}

// -1 is read as 1 and n as n - 2: between pixels just beyond the border, too.
TEST(Warp, BeyondTheImageLiesItsReflection) {
  GrayImage out(2, 2);
  add_warped(ramp(4, 4), Affine2::translation(-1.25, 0), 2, 1, out.pixels.data());
  EXPECT_EQ(out.pixels, (std::vector<float>{1.25f, 0.25f, 11.25f, 10.25f}));
  GrayImage far(2, 2);
  add_warped(ramp(4, 4), Affine2::translation(3.5, 4), 2, 1, far.pixels.data());
  EXPECT_EQ(far.pixels, (std::vector<float>{22.5f, 21.5f, 12.5f, 11.5f}));
}

TEST(Warp, RefusesWhatIsNoMap) {
  GrayImage out(2, 2);
  testing::expect_error([&] { add_warped(ramp(4, 4), Affine2::translation(std::nan(""), 0), 2, 1, out.pixels.data()); },
                        "[bug]");
}

}  // namespace
}  // namespace adasample
