// SPDX-License-Identifier: Apache-2.0
#include "adasample/integrate/homography_estimator.h"

#include <gtest/gtest.h>

#include <vector>

#include "adasample/base/rng.h"

namespace adasample {
namespace {

// 60 true matches, moved by a tenth of a pixel or so, among 90 wrong ones.
TEST(HomographyEstimator, FindsThePlaneAmongOutliersEveryTimeAlike) {
  const Homography truth({0.8, -0.3, 60, 0.3, 0.8, 10, 2e-4, -1e-4, 1});
  RngStream rng(RngKey(4, Draw::kPairs));
  std::vector<Point2> ref, target;
  for (int i = 0; i < 150; ++i) {
    ref.push_back({rng.uniform(0, 640), rng.uniform(0, 480)});
    target.push_back({rng.uniform(0, 640), rng.uniform(0, 480)});
    if (i % 5 < 2) target.back() = truth(ref.back());
    target.back().x += 0.1 * rng.normal();
    target.back().y += 0.1 * rng.normal();
  }
  const HomographyEstimator estimate = make_homography_estimator();
  const auto found = estimate(ref, target);
  ASSERT_TRUE(found);
  for (const Point2 corner : {Point2{0, 0}, {639, 0}, {0, 479}, {639, 479}}) {
    EXPECT_NEAR((*found)(corner).x, truth(corner).x, 0.5);
    EXPECT_NEAR((*found)(corner).y, truth(corner).y, 0.5);
  }
  EXPECT_EQ(estimate(ref, target)->entries(), found->entries());
}

TEST(HomographyEstimator, GivesUpOnPointsThatFixNone) {
  const std::vector<Point2> same(8, Point2{5, 5});
  EXPECT_FALSE(make_homography_estimator()(same, same));
}

}  // namespace
}  // namespace adasample
