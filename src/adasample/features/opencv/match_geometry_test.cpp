// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/match/match_geometry.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "adasample/base/random/rng.h"
#include "tests/support/expect_error.h"
#include "tests/support/opencv.h"

namespace adasample {
namespace {

[[maybe_unused]] const bool kUsesOpencv = testing::have_opencv();

struct Places {
  std::vector<Point2> first, second;
};

// 150 matches, two in five of them true ones moved by a tenth of a pixel or so, the others anywhere.
template <typename Truth>
Places with_outliers(const Truth& truth) {
  RngStream rng(RngKey(4, Draw::kPairs));
  Places places;
  for (int i = 0; i < 150; ++i) {
    places.first.push_back({rng.uniform(0, 640), rng.uniform(0, 480)});
    places.second.push_back({rng.uniform(0, 640), rng.uniform(0, 480)});
    if (i % 5 < 2) places.second.back() = truth(places.first.back(), i);
    places.second.back().x += 0.1 * rng.normal();
    places.second.back().y += 0.1 * rng.normal();
  }
  return places;
}

const Homography kPlane({0.8, -0.3, 60, 0.3, 0.8, 10, 2e-4, -1e-4, 1});

Places on_a_plane() {
  return with_outliers([](Point2 p, int) { return kPlane(p); });
}

// Points at depths of 2 to 5, the second camera a step to the right and turned a little; focal length 500.
Places in_space() {
  return with_outliers([](Point2 p, int i) {
    const double z = 2 + 3 * (i % 7) / 6.0, x = (p.x - 320) / 500 * z - 0.3, y = (p.y - 240) / 500 * z;
    const double c = std::cos(0.1), s = std::sin(0.1);
    const double u = c * x + s * z, w = -s * x + c * z;
    return Point2{320 + 500 * u / w, 240 + 500 * y / w};
  });
}

void expect_the_true_ones(const MatchGeometry& geometry, int by_chance) {
  int found = 0, wrong = 0;
  for (size_t i = 0; i < geometry.inliers.size(); ++i) (i % 5 < 2 ? found : wrong) += geometry.inliers[i] ? 1 : 0;
  EXPECT_EQ(found, 60);
  EXPECT_LE(wrong, by_chance);
  double norm = 0;
  for (const double v : geometry.matrix) norm += v * v;
  EXPECT_NEAR(norm, 1, 1e-12);
}

TEST(HomographyEstimator, FindsThePlaneAmongOutliersEveryTimeAlike) {
  const Places places = on_a_plane();
  const HomographyEstimator estimate = make_homography_estimator();
  const auto found = estimate(places.first, places.second);
  ASSERT_TRUE(found);
  for (const Point2 corner : {Point2{0, 0}, {639, 0}, {0, 479}, {639, 479}}) {
    EXPECT_NEAR((*found)(corner).x, kPlane(corner).x, 0.5);
    EXPECT_NEAR((*found)(corner).y, kPlane(corner).y, 0.5);
  }
  EXPECT_EQ(estimate(places.first, places.second)->entries(), found->entries());
}

TEST(HomographyEstimator, GivesUpOnPointsThatFixNone) {
  const std::vector<Point2> same(8, Point2{5, 5});
  EXPECT_FALSE(make_homography_estimator()(same, same));
}

TEST(MatchGeometry, AHomographyHoldsTheTrueMatches) {
  const Places places = on_a_plane();
  const auto found = estimate_geometry(places.first, places.second, {.kind = Geometry::kHomography});
  ASSERT_TRUE(found);
  expect_the_true_ones(*found, 0);  // 12 square pixels of 300,000 are near the right place
  const Point2 centre = Homography(found->matrix)({320, 240});
  EXPECT_NEAR(centre.x, kPlane({320, 240}).x, 0.5);
  EXPECT_NEAR(centre.y, kPlane({320, 240}).y, 0.5);
}

TEST(MatchGeometry, AFundamentalMatrixHoldsTheTrueMatches) {
  const Places places = in_space();
  const auto found = estimate_geometry(places.first, places.second, {.kind = Geometry::kFundamental});
  ASSERT_TRUE(found);
  expect_the_true_ones(*found, 5);  // 90 anywhere in 480 rows, four of them near the right line
  EXPECT_EQ(estimate_geometry(places.first, places.second, {})->matrix, found->matrix) << "fundamental is the default";
}

TEST(MatchGeometry, NothingFromTooFewMatchesOrPointsThatFixNothing) {
  const std::vector<Point2> seven(7, Point2{1, 2}), three(3, Point2{1, 2}), same(20, Point2{5, 5});
  EXPECT_FALSE(estimate_geometry(seven, seven, {.kind = Geometry::kFundamental}));
  EXPECT_FALSE(estimate_geometry(three, three, {.kind = Geometry::kHomography}));
  EXPECT_FALSE(estimate_geometry(same, same, {.kind = Geometry::kHomography}));
  EXPECT_FALSE(estimate_geometry(same, same, {.kind = Geometry::kFundamental}));
  EXPECT_FALSE(estimate_geometry(same, same, {.kind = Geometry::kNone}));
  EXPECT_FALSE(estimate_geometry({}, {}, {}));
}

TEST(MatchGeometry, DistancesToAModel) {
  // A camera that moves along x: points stay in their rows. Sampson: half the squared difference of the rows.
  const std::array<double, 9> sideways = {0, 0, 0, 0, 0, -1, 0, 1, 0}, twice = {2, 0, 0, 0, 2, 0, 0, 0, 1},
                              flat = {1, 0, 0, 0, 1, 0, 0, 1, 0};
  EXPECT_NEAR(squared_distance(Geometry::kFundamental, sideways, {3, 10}, {50, 12}), 2, 1e-12);
  EXPECT_NEAR(squared_distance(Geometry::kHomography, twice, {3, 10}, {9, 24}), 9 + 16, 1e-12);
  EXPECT_EQ(squared_distance(Geometry::kHomography, flat, {3, 0}, {1, 1}), INFINITY) << "on the horizon";
}

TEST(MatchGeometry, Options) {
  std::vector<int> fewest;
  for (const std::string& name : geometry_names()) fewest.push_back(fewest_matches(geometry_from_name(name)));
  EXPECT_EQ(fewest, (std::vector<int>{8, 4, 0}));
  testing::expect_error([] { geometry_from_name("affine"); }, "geometry = \"affine\"", "fundamental, homography, none");
  testing::expect_error([] { GeometryOptions{.threshold = 0}.validate(); }, "threshold = 0, must be in (0, 1000]");
}

}  // namespace
}  // namespace adasample
