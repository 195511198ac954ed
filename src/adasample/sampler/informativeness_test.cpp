// SPDX-License-Identifier: Apache-2.0
#include "adasample/sampler/informativeness.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "adasample/sampler/view_strength.h"
#include "tests/support/expect_error.h"

namespace adasample {
namespace {

constexpr double kFarthest = std::numeric_limits<double>::infinity();  // exponent

void expect_close(const at::Tensor& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.numel(), static_cast<int64_t>(expected.size()));
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(found[static_cast<int64_t>(i)].item<double>(), expected[i], 1e-9) << i;
  }
}

// Unit vectors in the plane at these angles.
at::Tensor at_angles(const at::Tensor& angles) { return at::stack({angles.cos(), angles.sin()}, -1); }

SamplerPolicy policy_by(Informativeness informativeness, double margin) {
  SamplerPolicy policy{SamplerPolicy::Exponent::kInfinite, kFarthest, PairWeights::kNone, informativeness};
  policy.margin = margin;
  return policy;
}

// Three classes whose anchors, in slot 0, are at 0, 0.5 and 2 radians; the other two patches of each lie farther on.
struct Plane {
  at::Tensor angles = torch::tensor({0.0, 0.1, 0.4, 0.5, 0.7, 0.6, 2.0, 2.2, 2.9}, at::kDouble).view({3, 3});
  at::Tensor anchor = at::zeros({3}, at::kLong);
  SamplerInput input = {3,
                        at_angles(angles),
                        at::full({3}, 3, at::kLong),
                        at::arange(3),
                        torch::tensor(int64_t{1}),
                        torch::tensor(kFarthest, at::kDouble)};
  at::Tensor distances = (angles - angles.narrow(1, 0, 1)).abs();

  at::Tensor by(Informativeness informativeness, double margin = 1) const {
    return informativeness_of(policy_by(informativeness, margin));
  }
  at::Tensor informativeness_of(const SamplerPolicy& policy) const {
    return informativeness(policy, input, anchor, distances, Metric::kAngular);
  }
};

TEST(Informativeness, ClosestAnchor) {
  const Plane plane;
  const at::Tensor anchors = at_angles(plane.angles.select(1, 0));
  expect_close(closest_distance(anchors, Metric::kAngular), {0.5, 0.5, 1.5});
  expect_close(closest_distance(anchors, Metric::kEuclidean),
               {2 * std::sin(0.25), 2 * std::sin(0.25), 2 * std::sin(0.75)});
}

TEST(Informativeness, DistanceIsThePapers) {
  const Plane plane;
  EXPECT_TRUE(plane.by(Informativeness::kDistance).equal(plane.distances));
}

TEST(Informativeness, ResidualIsTheRootOfTheHinge) {
  const Plane plane;
  const at::Tensor found = plane.by(Informativeness::kResidual);
  const auto hinge = [](double d, double closest) { return std::sqrt(std::max(0.0, 1 + d * d - closest * closest)); };
  expect_close(found.select(0, 0).narrow(0, 1, 2), {hinge(0.1, 0.5), hinge(0.4, 0.5)});
  // The margin holds the closer one of the last class apart already: 1 + 0.04 < 1.5^2; and the farther one too.
  expect_close(found.select(0, 2).narrow(0, 1, 2), {0, 0});
  expect_close(plane.by(Informativeness::kResidual, 2).select(0, 2).narrow(0, 1, 2), {0, std::sqrt(2 + 0.81 - 2.25)});
}

TEST(ViewStrength, UsualDistancesAreMeansThatFade) {
  at::Tensor usual = no_usual_distances(at::kCPU);
  const at::Tensor levels = torch::tensor({{0, 3, 3}, {0, 3, 7}}, at::kLong), anchor = at::zeros({2}, at::kLong);
  const at::Tensor candidates = torch::tensor({{false, true, true}, {false, true, false}});
  const auto learn = [&](const at::Tensor& d) { learn_usual_distances(usual, levels, anchor, candidates, d, 0.5); };
  const auto usually = [&](int64_t from, int64_t to) {
    return usual_distance(usual, torch::tensor({{from, to}}, at::kLong), at::zeros({1}, at::kLong))[0][1]
        .item<double>();
  };
  EXPECT_EQ(usually(0, 3), 1) << "nothing learned";
  learn(torch::tensor({{0.0, 0.2, 0.4}, {0.0, 0.6, 9.0}}, at::kDouble));
  EXPECT_NEAR(usually(0, 3), 0.4, 1e-12) << "from the first on";
  EXPECT_EQ(usually(0, 7), 1) << "no candidate";
  EXPECT_EQ(usually(3, 0), 1) << "the anchor comes first";
  learn(torch::tensor({{0.0, 1.0, 1.0}, {0.0, 1.0, 9.0}}, at::kDouble));
  EXPECT_NEAR(usually(0, 3), (0.5 * 0.4 + 1) / 1.5, 1e-12);
  learn(at::full({2, 3}, std::nan(""), at::kDouble));
  EXPECT_TRUE(std::isfinite(usually(0, 3)));
}

// The farthest view is the most strongly changed one, and no farther than such views are; the other is.
TEST(ViewStrength, DrawsWhatIsFartherThanItsStrengthExplains) {
  Plane plane;
  plane.input.levels = torch::tensor({{0, 1, 5}}, at::kLong).repeat({3, 1});
  plane.input.usual = no_usual_distances(at::kCPU);
  const at::Tensor usually = torch::tensor({{0.0, 0.05, 0.4}}, at::kDouble).repeat({3, 1});
  learn_usual_distances(plane.input.usual, plane.input.levels, plane.anchor, usually > 0, usually, 0.9);
  expect_close(plane.by(Informativeness::kStrength).select(0, 0).narrow(0, 1, 2), {2, 1});
  const Sampler by_distance(policy_by(Informativeness::kDistance, 1), 3, Metric::kAngular),
      by_strength(policy_by(Informativeness::kStrength, 1), 3, Metric::kAngular);
  int64_t differ = 0;
  for (int64_t t = 0; t < 20; ++t) {
    plane.input.iteration.fill_(t);
    const PairDraw far = by_distance.draw(plane.input), unusual = by_strength.draw(plane.input);
    EXPECT_TRUE(far.anchor.equal(unusual.anchor));
    if (far.anchor[0].item<int64_t>() != 0) continue;
    EXPECT_EQ(far.positive[0].item<int64_t>(), 2);
    EXPECT_EQ(unusual.positive[0].item<int64_t>(), 1);
    ++differ;
  }
  EXPECT_GT(differ, 0);
}

TEST(Informativeness, NamesAndWhatDoesNotFit) {
  EXPECT_EQ(informativeness_names(), (std::vector<std::string>{"distance", "residual", "strength", "gradient"}));
  const auto make = [](const std::string& weights, const std::string& informativeness) {
    return make_sampler_policy("adasample", 10, std::nullopt, weights, informativeness);
  };
  EXPECT_EQ(make("class", "residual").informativeness, Informativeness::kResidual);
  testing::expect_error([&] { make("none", "loss"); }, "informativeness = 'loss'", "distance, residual, strength");
  testing::expect_error([&] { make("eq9", "strength"); }, "eq9", "strength");
}

}  // namespace
}  // namespace adasample
