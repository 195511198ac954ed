// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/bytes/half_float.h"

#include <gtest/gtest.h>

namespace adasample {
namespace {

TEST(HalfFloat, KnownValues) {
  EXPECT_EQ(float_from_half(0x3C00), 1.0f);
  EXPECT_EQ(float_from_half(0xC000), -2.0f);
  EXPECT_EQ(float_from_half(0x7BFF), 65504.0f);  // the largest
  EXPECT_EQ(float_from_half(0x0400), 0x1p-14f);  // the smallest normal
  EXPECT_EQ(float_from_half(0x0001), 0x1p-24f);  // the smallest subnormal
  EXPECT_EQ(float_from_half(0x3555), 0.333251953125f);
  EXPECT_TRUE(std::signbit(float_from_half(0x8000)));
  EXPECT_EQ(float_from_half(0x7C00), std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(float_from_half(0x7E00)));
}

TEST(HalfFloat, GrowsWithItsBits) {
  for (uint16_t bits = 0; bits < 0x7C00; ++bits) ASSERT_LT(float_from_half(bits), float_from_half(bits + 1)) << bits;
}

TEST(HalfFloat, RoundsToTheNearest) {
  for (uint32_t bits = 0; bits < 0x7C00; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    const float here = float_from_half(half), next = half == 0x7BFF ? 65536.0f : float_from_half(half + 1);
    const float between = here + (next - here) / 2;
    ASSERT_EQ(half_from_float(here), half);
    ASSERT_EQ(half_from_float(-here), half | 0x8000);
    ASSERT_EQ(half_from_float(std::nextafter(between, 0.0f)), half);
    ASSERT_EQ(half_from_float(std::nextafter(between, 1e9f)), half + 1);
    ASSERT_EQ(half_from_float(between), half % 2 == 0 ? half : half + 1) << "a tie goes to the even one";
  }
  EXPECT_EQ(half_from_float(-INFINITY), 0xFC00);
  EXPECT_EQ(half_from_float(1e30f), 0x7C00);
  EXPECT_EQ(half_from_float(1e-30f), 0);
  EXPECT_TRUE(std::isnan(float_from_half(half_from_float(NAN))));
}

TEST(HalfFloat, Bfloat16IsTheUpperHalfOfAFloat) {
  EXPECT_EQ(float_from_bfloat16(0x3F80), 1.0f);
  EXPECT_EQ(float_from_bfloat16(0xC049), -3.140625f);
  EXPECT_TRUE(std::isinf(float_from_bfloat16(0x7F80)));
}

}  // namespace
}  // namespace adasample
