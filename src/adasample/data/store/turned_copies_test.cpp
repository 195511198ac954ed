// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/store/turned_copies.h"

#include <gtest/gtest.h>

#include <cmath>
#include <span>

#include "adasample/image/resize.h"
#include "tests/support/expect_error.h"

namespace adasample {
namespace {

constexpr int kWide = 16;
constexpr size_t kWideArea = kWide * kWide;
const RngKey kPoint = RngKey(1, Draw::kPhotoTour).at(7);

// A ramp along x, in several brightnesses.
std::vector<uint8_t> ramps(int count) {
  std::vector<uint8_t> patches;
  for (int i = 0; i < count; ++i) {
    for (size_t j = 0; j < kWideArea; ++j) patches.push_back(static_cast<uint8_t>(40 * i + 5 * (j % kWide)));
  }
  return patches;
}

std::span<const uint8_t> nth(const std::vector<uint8_t>& patches, size_t i) {
  return std::span(patches).subspan(i * kWideArea, kWideArea);
}

TEST(TurnedCopies, RealOnesStayFirstAndAreTheSources) {
  const std::vector<uint8_t> real = ramps(2);
  std::vector<uint8_t> patches = real;
  add_turned_copies(patches, kWide, {.positives = 15, .angle = 15}, kPoint);
  ASSERT_EQ(patches.size(), 15 * kWideArea);
  EXPECT_TRUE(std::equal(real.begin(), real.end(), patches.begin()));
  int dark = 0;
  double largest = 0;
  for (size_t i = 2; i < 15; ++i) {
    // Turned about the centre: the middle keeps its level, which tells the source; the slope along y tells the angle.
    const auto copy = nth(patches, i);
    const double middle = (copy[7 * kWide + 7] + copy[8 * kWide + 8]) / 2.0;
    EXPECT_TRUE(std::abs(middle - 37.5) < 2 || std::abs(middle - 77.5) < 2) << middle;
    dark += middle < 50;
    const double along_x = copy[8 * kWide + 12] - copy[8 * kWide + 4],
                 along_y = copy[12 * kWide + 8] - copy[4 * kWide + 8];
    largest = std::max(largest, std::abs(std::atan2(along_y, along_x)) * 180 / 3.14159265);
  }
  EXPECT_GT(dark, 1);
  EXPECT_LT(dark, 12);
  EXPECT_LT(largest, 16.5);  // 15, and rounding of grey levels
  EXPECT_GT(largest, 7);
}

TEST(TurnedCopies, LargerClassesKeepAllAndNoneMeansNone) {
  std::vector<uint8_t> patches = ramps(3);
  add_turned_copies(patches, kWide, {.positives = 3}, kPoint);
  EXPECT_EQ(patches, ramps(3));
  fill_up_class(patches, kWide, {}, kPoint);
  EXPECT_EQ(patches, ramps(3));
  EXPECT_EQ(cut_size(32, {}), 32);
  EXPECT_EQ(cut_size(32, {.positives = 2}), 64);
}

TEST(TurnedCopies, AClassIsHalvedAfterwards) {
  const std::vector<uint8_t> real = ramps(2);
  std::vector<uint8_t> patches = real, wide = real;
  const TurnedCopies copies{.positives = 5, .angle = 90};
  fill_up_class(patches, kWide / 2, copies, kPoint);
  add_turned_copies(wide, kWide, copies, kPoint);
  ASSERT_EQ(patches.size(), 5 * kWideArea / 4);
  for (size_t i = 0; i < 5; ++i) {
    const std::vector<uint8_t> expected = resize_patch(nth(wide, i), kWide, kWide / 2);
    EXPECT_TRUE(
        std::equal(expected.begin(), expected.end(), patches.begin() + static_cast<ptrdiff_t>(i * kWideArea / 4)));
  }
}

TEST(TurnedCopies, AreNamedByTheKey) {
  std::vector<uint8_t> a = ramps(2), b = a, c = a;
  add_turned_copies(a, kWide, {.positives = 4}, kPoint);
  add_turned_copies(b, kWide, {.positives = 6}, kPoint);
  add_turned_copies(c, kWide, {.positives = 4}, kPoint.at(1));
  EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin()));
  EXPECT_NE(a, c);
}

TEST(TurnedCopies, BadOptionsAreNamed) {
  testing::expect_error([] { TurnedCopies{.positives = -1}.validate(); }, "positives = -1, must be 0 to 4096");
  testing::expect_error([] { TurnedCopies{.angle = std::nan("")}.validate(); }, "angle = nan, must be 0 to 180");
}

}  // namespace
}  // namespace adasample
