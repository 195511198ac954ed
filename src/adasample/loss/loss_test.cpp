// SPDX-License-Identifier: Apache-2.0
#include "adasample/loss/loss.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "adasample/loss/mining.h"
#include "tests/support/expect_error.h"
#include "tests/support/golden.h"
#include "tests/support/tensors.h"

namespace adasample {
namespace {

using nlohmann::json;
using testing::golden;
using testing::largest_difference;
using testing::matrix_tensor;
using testing::vector_tensor;

at::Tensor unit_rows(int64_t n, int64_t d, uint64_t seed) {
  torch::manual_seed(seed);
  const at::Tensor x = at::randn({n, d}, at::kDouble);
  return x / x.norm(2, 1, true);
}

TEST(Distance, Golden) {
  const json expected = golden("adasample/distances.json");
  const at::Tensor a = matrix_tensor(expected["A"]).unsqueeze(1), b = matrix_tensor(expected["B"]).unsqueeze(0);
  EXPECT_LT(largest_difference(row_distance(a, b, Metric::kAngular), matrix_tensor(expected["angular_atan2"])), 1e-9);
  EXPECT_LT(largest_difference(row_distance(a, b, Metric::kEuclidean), matrix_tensor(expected["euclidean"])), 1e-9);
}

TEST(Distance, ExactAtZeroAndPi) {
  const at::Tensor x = unit_rows(5, 128, 1).to(at::kFloat);
  EXPECT_EQ(row_distance(x, x, Metric::kAngular).abs().max().item<double>(), 0);
  EXPECT_NEAR(row_distance(x, -x, Metric::kAngular).min().item<double>(), M_PI, 1e-6);
}

TEST(Distance, SquaredAngleGradientMatchesCentralDifferences) {
  const at::Tensor y = unit_rows(8, 6, 3);
  at::Tensor x = unit_rows(8, 6, 2).requires_grad_(true);
  squared_distance(x, y, Metric::kAngular).sum().backward();
  // The gradient is that of arccos(x.y)^2 with x as a free variable.
  const double h = 1e-6;
  for (int64_t i = 0; i < 6; ++i) {
    const at::Tensor step = at::zeros({6}, at::kDouble).index_fill_(0, torch::tensor(i), h);
    const auto f = [&](const at::Tensor& v) { return ((v * y).sum(1)).acos().square(); };
    const at::Tensor numeric = (f(x.detach() + step) - f(x.detach() - step)) / (2 * h);
    EXPECT_LT(largest_difference(x.grad().select(1, i), numeric), 1e-7);
  }
}

TEST(Distance, GradientLimits) {
  const at::Tensor e = torch::tensor({{1.0, 0.0}, {1.0, 0.0}, {1.0, 0.0}, {0.0, 0.0}}, at::kDouble);
  const at::Tensor y =
      torch::tensor({{1.0, 0.0}, {-1.0, 0.0}, {std::cos(1e-5), std::sin(1e-5)}, {0.0, 0.0}}, at::kDouble);
  at::Tensor x = e.clone().requires_grad_(true);
  squared_distance(x, y, Metric::kAngular).sum().backward();
  EXPECT_NEAR(x.grad()[0][0].item<double>(), -2, 1e-12) << "limit at theta = 0";
  EXPECT_NEAR(x.grad()[1][0].item<double>(), 2 * M_PI / 1e-3, 1e-6) << "sin floored at 1e-3 near pi";
  EXPECT_NEAR(x.grad()[2][0].item<double>(), -2, 1e-6);
  EXPECT_EQ(x.grad()[3].abs().max().item<double>(), 0) << "zero vectors";
}

// Golden losses and gradients of HT and AHT for each choice of negatives.
class GoldenLosses : public ::testing::TestWithParam<std::string> {};

TEST_P(GoldenLosses, ValuesNegativesAndGradients) {
  const json file = golden("adasample/" + GetParam());
  int checked = 0;
  for (const json& record : file["records"]) {
    const std::string negatives = record["negatives"];
    if (!record["squared"].get<bool>() || negatives == "cross_row") continue;  // variants that this project has not
    SCOPED_TRACE(record["loss"].get<std::string>() + " " + negatives + " margin " + record["margin"].dump());
    LossOptions options;
    options.name = record["loss"] == "AHT" ? "aht" : "ht";
    options.margin = record["margin"];
    options.mining.negatives = parse_negatives(negatives);
    at::Tensor a = matrix_tensor(file["anchor"]).requires_grad_(true);
    at::Tensor p = matrix_tensor(file["positive"]).requires_grad_(true);
    const LossOutput out = (*make_loss(options))({at::cat({a, p})});
    EXPECT_LT(largest_difference(out.per_pair, vector_tensor(record["L_i"])), 1e-9);
    EXPECT_LT(largest_difference(out.positive_distance, vector_tensor(record["d_pos"])), 1e-9);
    EXPECT_LT(largest_difference(out.negative_distance, vector_tensor(record["d_neg"])), 1e-9);
    const at::Tensor w = vector_tensor(record["w_mean1"]);
    EXPECT_NEAR((w * out.per_pair).mean().item<double>(), record["weighted_mean_loss"].get<double>(), 1e-9);
    for (const char* kind : {"grad_unweighted", "grad_w_mean1"}) {
      if (!record.contains(kind)) continue;
      const at::Tensor weight = std::string(kind) == "grad_unweighted" ? at::ones_like(w) : w;
      const auto gradient = torch::autograd::grad({(weight * out.per_pair).mean()}, {a, p}, {}, /*retain_graph=*/true);
      EXPECT_LT(largest_difference(gradient[0], matrix_tensor(record[kind]["anchor_analytic"])), 1e-7) << kind;
      EXPECT_LT(largest_difference(gradient[1], matrix_tensor(record[kind]["positive_analytic"])), 1e-7) << kind;
    }
    ++checked;
  }
  EXPECT_GE(checked, 12);
}

INSTANTIATE_TEST_SUITE_P(Files, GoldenLosses,
                         ::testing::Values("losses_n6_k5.json", "losses_n4_k3_hinge_partly_off.json"));

TEST(HardNetLoss, Golden) {
  const json cases = golden("hardnet_loss/expected.json");
  for (const auto& [name, record] : cases.items()) {
    for (const double margin : {1.0, 0.5}) {
      const json& expected = record["losses"][margin == 1 ? "min|swap=True|triplet_margin|margin=1.0"
                                                          : "min|swap=True|triplet_margin|margin=0.5"];
      SCOPED_TRACE(name);
      at::Tensor a = matrix_tensor(record["anchor"]).requires_grad_(true);
      at::Tensor p = matrix_tensor(record["positive"]).requires_grad_(true);
      LossOptions options;
      options.name = "hardnet";
      options.margin = margin;
      const at::Tensor loss = (*make_loss(options))({at::cat({a, p})}).per_pair.mean();
      EXPECT_NEAR(loss.item<double>(), expected["loss"].get<double>(), 1e-9);
      const auto gradient = torch::autograd::grad({loss}, {a, p});
      EXPECT_LT(largest_difference(gradient[0], matrix_tensor(expected["grad_anchor"])), 1e-9);
      EXPECT_LT(largest_difference(gradient[1], matrix_tensor(expected["grad_positive"])), 1e-9);
    }
  }
}

// The sentences of loss.h, for every loss.
TEST(Loss, MarginWherePositiveEqualsNegativeAndZeroFarAway) {
  for (const std::string name : {"aht", "ht", "hardnet"}) {
    LossOptions options;
    options.name = name;
    options.mining.negatives = Negatives::kCross;
    const auto loss = make_loss(options);
    // Three orthogonal directions: every positive equals its anchor, negatives are at a right angle.
    at::Tensor a = at::eye(3, at::kDouble).requires_grad_(true);
    const LossOutput far = (*loss)({at::cat({a, a.detach()})});
    EXPECT_LT(far.per_pair.max().item<double>(), 1e-2) << name;
    // All descriptors equal: positive and negative distance agree.
    at::Tensor same = at::ones({3, 4}, at::kDouble).div(2).requires_grad_(true);
    const LossOutput equal = (*loss)({at::cat({same, same.detach()})});
    const double expected = name == "hardnet" ? 0 : 1;  // HardNet masks duplicates by +10 and reads collapse as success
    EXPECT_NEAR(equal.per_pair.mean().item<double>(), expected, 1e-6) << name;
  }
}

TEST(Loss, NeverNan) {
  for (const std::string& name : loss_names()) {
    for (const auto negatives : {Negatives::kEq14, Negatives::kCross, Negatives::kAll}) {
      LossOptions options;
      options.name = name;
      options.mining.negatives = negatives;
      options.mining.duplicate_distance = 0.008;
      const at::Tensor u = unit_rows(1, 8, 5).to(at::kFloat);
      const at::Tensor zero = at::zeros({1, 8});
      at::Tensor a = at::cat({u, u, zero, -u}).requires_grad_(true);
      at::Tensor p = at::cat({u, -u, zero, zero}).requires_grad_(true);
      LossInput input{at::cat({a, p})};
      input.raw = input.first_layer = input.last_layer = input.descriptors;
      input.compare = [](const at::Tensor& x, const at::Tensor& y) { return at::stack({x.sum(1), y.sum(1)}, 1); };
      const LossOutput out = (*make_loss(options))(input);
      (out.per_pair.mean() + (out.batch_term.defined() ? out.batch_term : at::zeros({}))).backward();
      EXPECT_TRUE(at::isfinite(out.per_pair).all().item<bool>()) << name;
      EXPECT_TRUE(at::isfinite(a.grad()).all().item<bool>() && at::isfinite(p.grad()).all().item<bool>()) << name;
    }
  }
}

TEST(Loss, BadOptionsAreNamed) {
  LossOptions options;
  options.name = "softmax";
  testing::expect_error([&] { make_loss(options); }, "softmax", "aht");
  options = {};
  options.margin = 0;
  testing::expect_error([&] { make_loss(options); }, "margin = 0", "positive");
}

TEST(Mining, AgreesWithPlainLoops) {
  const at::Tensor x = unit_rows(2 * 9, 4, 11);
  const at::Tensor s = x.mm(x.t());
  const auto sim = s.accessor<double, 2>();
  for (const auto negatives : {Negatives::kEq14, Negatives::kCross, Negatives::kAll}) {
    const MinedNegatives mined = mine_negatives(x, {negatives, 0});
    for (int64_t i = 0; i < 9; ++i) {
      double best = -2;
      for (int64_t j = 0; j < 9; ++j) {
        if (j == i) continue;
        if (negatives != Negatives::kCross) best = std::max({best, sim[i][j], sim[i + 9][j + 9]});
        if (negatives != Negatives::kEq14) best = std::max({best, sim[i][j + 9], sim[j][i + 9]});
      }
      EXPECT_DOUBLE_EQ(sim[mined.first[i].item<int64_t>()][mined.second[i].item<int64_t>()], best);
    }
  }
}

TEST(Mining, QuantileRunsFromTheMiddleToTheClosest) {
  const at::Tensor x = unit_rows(2 * 17, 6, 12);
  for (const auto negatives : {Negatives::kEq14, Negatives::kCross, Negatives::kAll}) {
    const auto similarity_at = [&](const MinedNegatives& m) {
      return (x.index_select(0, m.first) * x.index_select(0, m.second)).sum(1);
    };
    const at::Tensor closest = similarity_at(mine_negatives(x, {negatives, 0}));
    const at::Tensor at_one = similarity_at(mine_negatives(x, {negatives, 0}, torch::tensor(1.0)));
    EXPECT_LT(largest_difference(closest, at_one), 1e-12);
    at::Tensor previous = similarity_at(mine_negatives(x, {negatives, 0}, torch::tensor(0.0)));
    for (const double q : {0.25, 0.5, 0.75, 1.0}) {
      const at::Tensor next = similarity_at(mine_negatives(x, {negatives, 0}, torch::tensor(q)));
      EXPECT_TRUE((next >= previous).all().item<bool>()) << q;
      previous = next;
    }
    const MinedNegatives any = mine_negatives(x, {negatives, 0}, torch::tensor(0.0));
    EXPECT_TRUE((any.first.remainder(17) != any.second.remainder(17)).all().item<bool>()) << "never the own pair";
  }
}

// Rows on a circle, so that a chord can be made as long as the test likes.
TEST(Mining, DuplicatesAreThoseWithinTheDistance) {
  constexpr double kDistance = 0.1;
  const auto at_chord = [](double chord) {
    const double angle = 2 * std::asin(chord / 2);
    return std::vector<double>{std::cos(angle), std::sin(angle)};
  };
  for (const double share : {0.9, 0.99, 1.01, 1.1, 1.4}) {
    SCOPED_TRACE(share);
    // Anchors: at 0, as far away as the test says, and opposite. The positives are all far from each other.
    const std::vector<double> second = at_chord(share * kDistance);
    const at::Tensor anchors = torch::tensor({{1.0, 0.0}, {second[0], second[1]}, {-1.0, 0.0}}, at::kDouble);
    const at::Tensor positives =
        torch::tensor({{0.0, 1.0}, {0.0, -1.0}, {-std::sqrt(0.5), std::sqrt(0.5)}}, at::kDouble);
    const MinedNegatives mined = mine_negatives(at::cat({anchors, positives}), {Negatives::kEq14, kDistance});
    const bool taken = mined.first[0].item<int64_t>() == 0 && mined.second[0].item<int64_t>() == 1;
    EXPECT_EQ(taken, share > 1);
  }
}

// One row of six candidates, and the one whose rank is nearest to q times the last rank.
TEST(Mining, QuantileTakesTheNearestRank) {
  // On a circle; anchors 1 to 3 and positives 1 to 3 are 20, 40 .. 120 degrees from anchor 0 and positive 0.
  std::vector<at::Tensor> rows;
  for (const double degrees : {0.0, 20.0, 60.0, 100.0, 180.0, 220.0, 260.0, 300.0}) {
    rows.push_back(torch::tensor({std::cos(degrees * M_PI / 180), std::sin(degrees * M_PI / 180)}, at::kDouble));
  }
  const at::Tensor x = at::stack(rows);
  // From the farthest of row 0 to the closest: positive 3, anchor 3, positive 2, anchor 2, positive 1, anchor 1.
  const int64_t expected[] = {7, 3, 6, 2, 5, 1};
  for (const double q : {0.0, 0.09, 0.11, 0.29, 0.31, 0.49, 0.51, 0.69, 0.71, 0.89, 0.91, 1.0}) {
    const MinedNegatives mined = mine_negatives(x, {Negatives::kEq14, 0}, torch::tensor(q, at::kDouble));
    EXPECT_EQ(mined.second[0].item<int64_t>(), expected[std::lround(5 * q)]) << q;
  }
}

TEST(Mining, DuplicatesAreSkippedUnlessNothingElseIsLeft) {
  at::Tensor x = unit_rows(2 * 3, 5, 13);
  x[1] = x[0];  // anchor 1 repeats anchor 0
  const MinedNegatives plain = mine_negatives(x, {Negatives::kEq14, 0});
  EXPECT_EQ(plain.first[0].item<int64_t>(), 0);
  EXPECT_EQ(plain.second[0].item<int64_t>(), 1);
  const MinedNegatives masked = mine_negatives(x, {Negatives::kEq14, 0.008});
  EXPECT_FALSE(masked.first[0].item<int64_t>() == 0 && masked.second[0].item<int64_t>() == 1);
  EXPECT_FALSE(masked.fully_masked.any().item<bool>());

  const at::Tensor collapsed = x[0].unsqueeze(0).repeat({6, 1});
  const MinedNegatives all = mine_negatives(collapsed, {Negatives::kAll, 0.008});
  EXPECT_TRUE(all.fully_masked.all().item<bool>());
  EXPECT_TRUE((all.first.remainder(3) != all.second.remainder(3)).all().item<bool>()) << "still a true negative";
}

}  // namespace
}  // namespace adasample
