// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/half_float.h"

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

TEST(HalfFloat, EveryHalfSurvivesAndTiesGoToEven) {
  for (uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
    const float value = float_from_half(static_cast<uint16_t>(bits));
    if (std::isnan(value)) continue;
    ASSERT_EQ(half_from_float(value), bits);
    if ((bits & 0x7FFF) >= 0x7BFF) continue;
    const float next = float_from_half(static_cast<uint16_t>(bits + 1)), middle = 0.5f * (value + next);  // exact
    ASSERT_EQ(half_from_float(middle), bits % 2 == 0 ? bits : bits + 1) << bits;
    ASSERT_EQ(half_from_float(std::nextafter(middle, value)), bits);
    ASSERT_EQ(half_from_float(std::nextafter(middle, next)), bits + 1);
  }
  EXPECT_EQ(half_from_float(65519.9f), 0x7BFF);
  EXPECT_EQ(half_from_float(65520.0f), 0x7C00);
  EXPECT_EQ(half_from_float(-1e30f), 0xFC00);
  EXPECT_TRUE(std::isnan(float_from_half(half_from_float(NAN))));
}

TEST(HalfFloat, Bfloat16IsTheUpperHalfOfAFloat) {
  EXPECT_EQ(float_from_bfloat16(0x3F80), 1.0f);
  EXPECT_EQ(float_from_bfloat16(0xC049), -3.140625f);
  EXPECT_TRUE(std::isinf(float_from_bfloat16(0x7F80)));
}

}  // namespace
}  // namespace adasample
