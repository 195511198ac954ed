// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/regions/region_overlap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

namespace adasample {
namespace {

constexpr double kPi = std::numbers::pi;

Affine2 disc(double x, double y, double radius) {
  return Affine2::translation(x, y) * Affine2::scaling(radius, radius);
}

double overlap_by_counting(const Affine2& a, const Affine2& b) {
  const Affine2 from_a = a.inverse(), from_b = b.inverse();
  int64_t both = 0, either = 0;
  for (int i = -1500; i < 1500; ++i) {
    for (int j = -1500; j < 1500; ++j) {
      const Point2 p = {i / 300.0, j / 300.0}, q = from_a(p), r = from_b(p);
      const bool in_a = q.x * q.x + q.y * q.y <= 1, in_b = r.x * r.x + r.y * r.y <= 1;
      both += in_a && in_b;
      either += in_a || in_b;
    }
  }
  return static_cast<double>(both) / static_cast<double>(either);
}

TEST(RegionOverlap, CirclesWithKnownOverlap) {
  EXPECT_DOUBLE_EQ(circle_overlap({3, 4}, 2, {3, 4}, 2), 1);
  EXPECT_DOUBLE_EQ(circle_overlap({0, 0}, 1, {0.5, 0}, 2), 0.25);  // one inside the other
  EXPECT_EQ(circle_overlap({0, 0}, 1, {3, 0}, 2), 0);              // touching
  EXPECT_EQ(circle_overlap({0, 0}, 1, {9, 9}, 2), 0);
  // Equal circles through each other's centre share r^2 (2 pi / 3 - sqrt(3) / 2).
  const double shared = 2 * kPi / 3 - std::sqrt(3) / 2;
  EXPECT_NEAR(circle_overlap({0, 0}, 5, {3, 4}, 5), shared / (2 * kPi - shared), 1e-12);
}

TEST(RegionOverlap, EllipsesAgreeWithCircles) {
  for (const double radius : {0.2, 0.7, 1.0, 1.3, 4.0}) {
    for (const double distance : {0.0, 0.1, 0.5, 1.0, 1.6, 2.5}) {
      for (const double angle : {0.0, 0.7, 2.2}) {
        const Point2 c = {distance * std::cos(angle), distance * std::sin(angle)};
        EXPECT_NEAR(ellipse_overlap(disc(0, 0, 1), disc(c.x, c.y, radius)), circle_overlap({0, 0}, 1, c, radius), 1e-3)
            << radius << " " << distance << " " << angle;
      }
    }
  }
}

TEST(RegionOverlap, EllipsesWithKnownOverlap) {
  const Affine2 wide = Affine2::scaling(3, 1), tall = Affine2::scaling(1, 3);
  EXPECT_NEAR(ellipse_overlap(wide, wide), 1, 1e-6);
  EXPECT_NEAR(ellipse_overlap(wide, Affine2::rotation(1.0) * wide * Affine2::rotation(0.4)),  // turned by 1 radian
              overlap_by_counting(wide, Affine2::rotation(1.0) * wide), 3e-3);  // counting is good to some 1e-3
  // Two ellipses with half axes p and q, crossed: they share 4 p q atan(q / p).
  const double shared = 4 * 3 * std::atan(1.0 / 3.0);
  EXPECT_NEAR(ellipse_overlap(wide, tall), shared / (2 * 3 * kPi - shared), 1e-3);
}

TEST(RegionOverlap, AnAffineMapOfBothChangesNothing) {
  const Affine2 a{1.2, 0.3, 0.1, -0.2, 0.8, 0.4}, b{0.9, -0.4, -0.3, 0.5, 1.1, 0.2}, map{20, 7, 300, -3, 11, 90};
  const double expected = ellipse_overlap(a, b);
  EXPECT_NEAR(expected, overlap_by_counting(a, b), 3e-3);
  EXPECT_NEAR(ellipse_overlap(map * a, map * b), expected, 1e-9);
  EXPECT_NEAR(ellipse_overlap(b, a), expected, 1e-3);
  EXPECT_NEAR(ellipse_overlap(a * Affine2::scaling(1, -1), b), expected, 1e-3);  // mirrored: the same ellipse
}

std::vector<Keypoint> random_keypoints(int count) {
  std::vector<Keypoint> keypoints;
  RngStream rng(RngKey(3, Draw::kSequences));
  for (int i = 0; i < count; ++i) {
    keypoints.push_back({.x = rng.uniform(0, 100),
                         .y = rng.uniform(0, 100),
                         .sigma = std::exp2(rng.uniform(0, 3)),
                         .strength = rng.uniform()});
  }
  return keypoints;
}

TEST(RegionOverlap, SuppressionKeepsASetWithoutClashesThatCoversTheRest) {
  // Few, which are compared each with each, and many, for which there is an index.
  const std::vector<Keypoint> few = random_keypoints(400), many = random_keypoints(6000);
  for (const std::vector<Keypoint>& keypoints : {few, many}) {
    const auto overlap = [&](size_t i, size_t j) {
      return circle_overlap({keypoints[i].x, keypoints[i].y}, 5 * keypoints[i].sigma, {keypoints[j].x, keypoints[j].y},
                            5 * keypoints[j].sigma);
    };
    for (const double bound : {0.1, 0.2, 0.5}) {
      const std::vector<size_t> order = shuffled_order(keypoints.size(), RngKey(1, Draw::kSequences));
      const std::vector<size_t> kept = suppress_overlaps(keypoints, order, 5, bound);
      const std::set<size_t> is_kept(kept.begin(), kept.end());
      ASSERT_GT(kept.size(), 20u);
      ASSERT_LT(kept.size(), keypoints.size() * 7 / 8);
      std::vector<size_t> before;
      for (const size_t i : order) {
        const bool clashes = std::any_of(before.begin(), before.end(), [&](size_t j) { return overlap(i, j) > bound; });
        EXPECT_EQ(is_kept.contains(i), !clashes);
        if (is_kept.contains(i)) before.push_back(i);
      }
      EXPECT_EQ(before, kept);
    }
  }
}

// Each of them against all that were kept would be 2e10 comparisons.
TEST(RegionOverlap, ManyKeypointsAreNoTrouble) {
  std::vector<Keypoint> keypoints;
  for (int i = 0; i < 200'000; ++i) keypoints.push_back({.x = 3.0 * (i % 1000), .y = 3.0 * (i / 1000), .sigma = 0.5});
  EXPECT_EQ(suppress_overlaps(keypoints, strongest_first(keypoints), 2, 0.1).size(), keypoints.size());
  EXPECT_EQ(suppress_overlaps(keypoints, strongest_first(keypoints), 2, 1).size(), keypoints.size());
}

TEST(RegionOverlap, TheOrderDecidesWhoStays) {
  const std::vector<Keypoint> pair = {{.x = 10, .y = 10, .sigma = 2, .strength = 1},
                                      {.x = 11, .y = 10, .sigma = 2, .strength = 5}};
  EXPECT_EQ(suppress_overlaps(pair, strongest_first(pair), 5, 0.5), (std::vector<size_t>{1}));
  EXPECT_EQ(suppress_overlaps(pair, std::vector<size_t>{0, 1}, 5, 0.5), (std::vector<size_t>{0}));
  EXPECT_EQ(suppress_overlaps(pair, strongest_first(pair), 0.4, 0.5), (std::vector<size_t>{1, 0}));  // smaller regions
  int first = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    first += suppress_overlaps(pair, shuffled_order(2, RngKey(seed, Draw::kSequences)), 5, 0.5).front() == 0 ? 1 : 0;
  }
  EXPECT_NEAR(first, 100, 35);  // five standard deviations
}

TEST(RegionOverlap, OrdersArePermutations) {
  EXPECT_TRUE(shuffled_order(0, RngKey(1, Draw::kSequences)).empty());
  std::vector<size_t> order = shuffled_order(57, RngKey(1, Draw::kSequences));
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
  std::sort(order.begin(), order.end());
  for (size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], i);
  const std::vector<Keypoint> equals(3);
  EXPECT_EQ(strongest_first(equals), (std::vector<size_t>{0, 1, 2}));
}

}  // namespace
}  // namespace adasample
