// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/descriptors/agreement.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "tests/support/expect_error.h"

namespace adasample {
namespace {

std::vector<float> turned(double degrees) {
  const double radians = degrees * std::numbers::pi / 180;
  return {static_cast<float>(std::cos(radians)), static_cast<float>(std::sin(radians))};
}

Agreement compare(const std::vector<float>& a, const std::vector<float>& b) {
  return compare_descriptors(a, b, 2, "a", "b");
}

TEST(Agreement, TheSameIsZero) {
  const Agreement same = compare({1, 0, 0, 1}, {1, 0, 0, 1});
  EXPECT_EQ(same.largest_difference, 0);
  EXPECT_EQ(same.p99_angle, 0);
  EXPECT_EQ(same.largest_angle, 0);
}

TEST(Agreement, AnglesFromTinyToOpposite) {
  for (const double degrees : {1e-4, 0.01, 3.0, 90.0, 180.0}) {
    // float32 rounds a coordinate by 6e-8, which is 3.4e-6 degrees.
    EXPECT_NEAR(compare(turned(0), turned(degrees)).largest_angle, degrees, 4e-6) << degrees;
  }
  EXPECT_NEAR(compare(turned(0), turned(90)).largest_difference, 1, 1e-7);
}

TEST(Agreement, OnePatchInAHundredMayStray) {
  for (const int strays : {1, 2}) {
    std::vector<float> a, b;
    for (int i = 0; i < 100; ++i) {
      const std::vector<float> x = turned(0), y = turned(i < strays ? 50 : 2);
      a.insert(a.end(), x.begin(), x.end());
      b.insert(b.end(), y.begin(), y.end());
    }
    EXPECT_NEAR(compare(a, b).p99_angle, strays == 1 ? 2 : 50, 1e-4);
    EXPECT_NEAR(compare(a, b).largest_angle, 50, 1e-4);
  }
}

TEST(Agreement, WhatIsNotFiniteIsNamed) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  testing::expect_error([&] { compare({1, 0, nan, 0}, {1, 0, 1, 0}); }, "[check] a", "patch 1", "not finite");
  testing::expect_error([&] { compare({1, 0, 1, 0}, {1, inf, 1, 0}); }, "[check] b", "patch 0");
}

TEST(PairedFpr95, CountsNegativesBeforeThePositives) {
  // Classes far apart, pairs close: none. One class whose halves are as far apart as the others: all of it.
  EXPECT_EQ(paired_fpr95(std::vector<float>{0, 0, 0, 1, 10, 0, 10, 1, 20, 0, 20, 1}, 2), 0);
  EXPECT_EQ(paired_fpr95(std::vector<float>{0, 0, 0, 50, 10, 0, 10, 50, 20, 0, 20, 50}, 2), 0) << "still the nearest";
  // (0, 30) is 30 apart: of the six negatives 0 - 11, 0 - 21, 10 - 30, 10 - 21, 20 - 30, 20 - 11 all are nearer.
  EXPECT_EQ(paired_fpr95(std::vector<float>{0, 0, 30, 0, 10, 0, 11, 0, 20, 0, 21, 0}, 2), 1);
  // All alike: ties count against it.
  EXPECT_EQ(paired_fpr95(std::vector<float>(12, 1.0f), 2), 1);
}

}  // namespace
}  // namespace adasample
