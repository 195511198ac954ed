// SPDX-License-Identifier: Apache-2.0
#include "adasample/report/plot/scale.h"

#include <gtest/gtest.h>

#include <cmath>

namespace adasample {
namespace {

std::vector<std::string> labels(const Scale& scale) {
  std::vector<std::string> result;
  for (const Tick& tick : scale.ticks) result.push_back(tick.label);
  return result;
}
using Labels = std::vector<std::string>;

TEST(Scale, TicksAreRoundAndFew) {
  EXPECT_EQ(labels(linear_scale(0, 1)), (Labels{"0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(labels(linear_scale(0, 399)), (Labels{"0", "100", "200", "300"}));
  EXPECT_EQ(labels(linear_scale(0, 100000)), (Labels{"0", "20k", "40k", "60k", "80k", "100k"}));
  EXPECT_EQ(labels(linear_scale(0, 2.5e6)), (Labels{"0", "500k", "1M", "1.5M", "2M", "2.5M"}));
  EXPECT_EQ(labels(linear_scale(-0.5, 0.25)), (Labels{"-0.4", "-0.2", "0", "0.2"}));
  EXPECT_EQ(labels(linear_scale(0, 4e-5)), (Labels{"0", "1e-05", "2e-05", "3e-05", "4e-05"}));
  EXPECT_EQ(labels(linear_scale(0, 1, 5, AxisUnit::kPercent)),
            (Labels{"0 %", "20 %", "40 %", "60 %", "80 %", "100 %"}));
}

TEST(Scale, EveryRangeHasTicksInside) {
  for (const double low : {-1e308, -1e9, -7.3, -1e-9, 0.0, 1e-300, 0.1, 3.0, 1e12, 1e308}) {
    for (const double span : {0.0, 1e-320, 1e-12, 0.37, 1.0, 99.0, 1e7, 1e300}) {
      if (!std::isfinite(low + span)) continue;
      const Scale scale = linear_scale(low, low + span);
      ASSERT_LT(scale.low, scale.high) << low << " " << span;
      EXPECT_GE(scale.ticks.size(), 1u) << low << " " << span;
      EXPECT_LE(scale.ticks.size(), 6u) << low << " " << span;
      for (const Tick& tick : scale.ticks) {
        EXPECT_GE(tick.value, scale.low);
        EXPECT_LE(tick.value, scale.high);
      }
    }
  }
}

TEST(Scale, PlacesAreBetweenZeroAndOne) {
  const Scale linear = linear_scale(2, 6), log = log_scale(1e-4, 1, AxisUnit::kPercent);
  EXPECT_DOUBLE_EQ(linear.at(3), 0.25);
  EXPECT_EQ(linear.at(1), 0);
  EXPECT_EQ(linear.at(9), 1);
  EXPECT_DOUBLE_EQ(log.at(1e-2), 0.5);
  EXPECT_EQ(log.at(0), 0);  // no logarithm of zero
  EXPECT_EQ(log.at(1), 1);
  EXPECT_EQ(labels(log), (Labels{"0.01 %", "0.1 %", "1 %", "10 %", "100 %"}));
}

TEST(Scale, RoomAboutConstantsAndFromZeroWhereItIsNear) {
  EXPECT_EQ(roomy_scale(0, 0).low, 0);
  EXPECT_EQ(roomy_scale(0, 0).high, 1);
  EXPECT_LT(roomy_scale(5, 5).low, 5);
  EXPECT_GT(roomy_scale(5, 5).high, 5);
  EXPECT_EQ(roomy_scale(0.4, 1).low, 0);
  EXPECT_GT(roomy_scale(0.9, 1).low, 0.8);
  EXPECT_LT(roomy_scale(-2, 1).low, -2);
}

}  // namespace
}  // namespace adasample
