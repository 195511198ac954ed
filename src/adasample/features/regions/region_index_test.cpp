// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/regions/region_index.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "adasample/base/random/rng.h"

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
  for (const double most : {0.0, 0.01, 0.1, 0.3, 0.5, 0.8, 1.0}) {
    RngStream rng(RngKey(5, Draw::kScene));
    RegionIndex index(most);
    std::vector<SquareRegion> all;
    int covered = 0;
    for (int i = 0; i < 3000; ++i) {
      const SquareRegion region{rng.uniform(-40, 400), rng.uniform(-40, 200), std::exp2(rng.uniform(-4, 6))};
      const bool expected =
          std::any_of(all.begin(), all.end(), [&](const SquareRegion& other) { return overlap(region, other) > most; });
      ASSERT_EQ(index.covers(region), expected) << most << " " << i;
      covered += expected;
      if (expected && i % 4 != 0) continue;  // as the index is used: few of the covered ones get in
      index.insert(region);
      all.push_back(region);
    }
    EXPECT_EQ(covered > 20, most < 1) << most << ": " << covered;
    EXPECT_LT(covered, 2990) << most;
  }
}

}  // namespace
}  // namespace adasample
