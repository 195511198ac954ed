// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/difficulty.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "adasample/data/view_options.h"
#include "tests/support/expect_error.h"

namespace adasample {
namespace {

using testing::expect_error;

TEST(Difficulty, AMixAndFactorsOfSingleKinds) {
  EXPECT_EQ(parse_difficulty(""), Difficulty());
  EXPECT_EQ(parse_difficulty("usual"), Difficulty());
  const Difficulty real = parse_difficulty("real"), changed = parse_difficulty("real,noise=0.5,warp=0");
  EXPECT_EQ(real.of(Hardness::kOcclusion), 1);
  EXPECT_TRUE(std::isfinite(real.max_warp));
  EXPECT_EQ(changed.of(Hardness::kNoise), 0.5);
  EXPECT_EQ(changed.of(Hardness::kWarp), 0);
  EXPECT_EQ(changed.of(Hardness::kLight), real.of(Hardness::kLight));
  EXPECT_EQ(changed.max_warp, real.max_warp);
  EXPECT_EQ(parse_difficulty("parallax=2").of(Hardness::kWarp), 1);
  for (const std::string_view mix : difficulty_mixes()) parse_difficulty(mix);
}

TEST(Difficulty, SaysWhatItDoesNotKnow) {
  expect_error([] { parse_difficulty("rain=1"); }, "\"rain=1\" is no kind", "usual, real", "warp, light");
  expect_error([] { parse_difficulty("noise"); }, "KIND=FACTOR");
  expect_error([] { parse_difficulty("noise=1,real"); }, "\"real\"", "first");
  expect_error([] { parse_difficulty("noise=much"); }, "\"noise=much\": expected a number");
  expect_error([] { parse_difficulty("noise="); }, "expected a number");
  expect_error([] { parse_difficulty("blur=-1"); }, "the factor blur = -1, must be 0 to 10");
  expect_error([] { parse_difficulty("blur=11"); }, "must be 0 to 10");
}

TEST(Difficulty, TheWarpStopsGrowing) {
  Difficulty d;
  d.max_warp = 0.4;
  d.set(Hardness::kBlur, 2);
  EXPECT_DOUBLE_EQ(d.strength(Hardness::kWarp, 0.3), 0.3);
  EXPECT_DOUBLE_EQ(d.strength(Hardness::kWarp, 1.2), 0.4);
  EXPECT_DOUBLE_EQ(d.strength(Hardness::kBlur, 1.2), 2.4);
  EXPECT_DOUBLE_EQ(d.strength(Hardness::kShadow, 1.2), 0);
}

// Stores made with the usual mix are described as they were before there were others.
TEST(Difficulty, IsDescribedWhereItIsNotTheUsualOne) {
  ViewClassOptions options;
  EXPECT_FALSE(options.describe().contains("hard"));
  options.difficulty = parse_difficulty("real,motion=0");
  EXPECT_EQ(options.describe()["hard"]["motion"], 0);
  EXPECT_EQ(options.describe()["hard"]["max_warp"], options.difficulty.max_warp);
}

}  // namespace
}  // namespace adasample
