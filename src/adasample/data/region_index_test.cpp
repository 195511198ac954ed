// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/region_index.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "adasample/base/rng.h"

namespace adasample {
namespace {

TEST(RegionIndex, OverlapIsIntersectionOverUnion) {
  EXPECT_DOUBLE_EQ(overlap({0, 0, 3}, {0, 0, 3}), 1);
  EXPECT_DOUBLE_EQ(overlap({0, 0, 1}, {0, 0, 2}), 0.25);
  EXPECT_DOUBLE_EQ(overlap({0, 0, 1}, {1, 0, 1}), 1.0 / 3);
  EXPECT_DOUBLE_EQ(overlap({0, 0, 1}, {5, 0, 1}), 0);
  EXPECT_DOUBLE_EQ(overlap({0, 0, 1}, {0, -5, 1}), 0);
}

// The cells must not hide what a look at every region finds.
TEST(RegionIndex, FindsWhatALookAtEveryRegionFinds) {
  RngStream rng(RngKey(5, Draw::kScene));
  RegionIndex index;
  std::vector<SquareRegion> all;
  int covered = 0;
  for (int i = 0; i < 3000; ++i) {
    const SquareRegion region{rng.uniform(-40, 200), rng.uniform(-40, 200), std::exp2(rng.uniform(-1, 6))};
    const bool expected = std::any_of(all.begin(), all.end(), [&](const SquareRegion& other) {
      return overlap(region, other) > RegionIndex::kMostOverlap;
    });
    ASSERT_EQ(index.covers(region), expected) << i;
    covered += expected;
    index.insert(region);
    all.push_back(region);
  }
  EXPECT_GT(covered, 500);
  EXPECT_LT(covered, 2900);
}

}  // namespace
}  // namespace adasample
