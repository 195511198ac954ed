// SPDX-License-Identifier: Apache-2.0
// The losses of the field against independent Python (tests/golden/field_losses), and their gradients by differences.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "adasample/loss/loss.h"
#include "adasample/loss/mining.h"
#include "tests/support/golden.h"
#include "tests/support/tensors.h"

namespace adasample {
namespace {

using testing::golden;
using testing::largest_difference;
using testing::matrix_tensor;
using testing::vector_tensor;

constexpr int64_t kClasses = 9, kSize = 6;

// The closed formulas of make_field_losses.py.
at::Tensor formula_rows(int64_t count, double seed) {
  const at::Tensor i = at::arange(count * kSize, at::kDouble);
  const at::Tensor x = (at::sin(0.37 * i + seed) + 0.5 * at::cos(1.91 * i * i + seed)).view({count, kSize});
  return x / x.norm(2, 1, true);
}

at::Tensor formula_views(int64_t members, double seed) {
  const at::Tensor anchors = formula_rows(kClasses, seed);
  std::vector<at::Tensor> parts = {anchors};
  for (int64_t j = 1; j < members; ++j) {
    parts.push_back(anchors + 0.6 * formula_rows(kClasses, seed + 10 * static_cast<double>(j)));
  }
  const at::Tensor x = at::cat(parts);
  return x / x.norm(2, 1, true);
}

at::Tensor formula_metric(const at::Tensor& a, const at::Tensor& b) {
  const at::Tensor first = at::sin(0.3 * at::arange(5 * 2 * kSize, at::kDouble) + 0.1).view({5, 2 * kSize}),
                   second = at::cos(0.7 * at::arange(2 * 5, at::kDouble)).view({2, 5});
  return at::cat({a, b}, 1).mm(first.t()).relu().mm(second.t());
}

LossInput formula_input(int64_t members) {
  LossInput input{formula_views(members, 1), members};
  input.compare = formula_metric;
  input.raw = 1.5 * formula_rows(2 * kClasses, 3) + formula_rows(2 * kClasses, 4);
  input.first_layer = (2 * formula_rows(2 * kClasses, 5)).view({2 * kClasses, 2, 3, 1});
  input.last_layer = (2 * formula_rows(2 * kClasses, 6)).view({2 * kClasses, kSize, 1, 1});
  if (members > 2) {
    const at::Tensor i = at::arange(kClasses).unsqueeze(1), j = at::arange(members).unsqueeze(0);
    input.present = (j < 2).logical_or(i.remainder(3) != 0);
  }
  return input;
}

LossOptions options_of(const std::string& name) {
  LossOptions options;
  options.name = name;
  options.margin = name == "hynet" ? 1.2 : name == "deepdesc" ? 4 : 1;
  options.mining.negatives = Negatives::kAll;
  return options;
}

// What is followed: pairs with uneven weights, and the batch's own term.
at::Tensor total_of(const LossOutput& out) {
  const at::Tensor weight = at::cos(at::arange(kClasses, at::kDouble)) + 2;
  const at::Tensor total = (weight * out.per_pair).mean();
  return out.batch_term.defined() ? total + out.batch_term : total;
}

TEST(FieldLosses, Golden) {
  const auto expected = golden("field_losses/expected.json");
  for (const auto& [name, numbers] : expected["losses"].items()) {
    LossInput input = formula_input(numbers["members"]);
    for (at::Tensor* x : {&input.descriptors, &input.raw, &input.first_layer, &input.last_layer}) {
      x->requires_grad_(true);
    }
    const LossOutput out = (*make_loss(options_of(name)))(input);
    EXPECT_LT(largest_difference(out.per_pair, vector_tensor(numbers["per_pair"])), 1e-9) << name;
    EXPECT_EQ(out.batch_term.defined(), numbers.contains("batch_term")) << name;
    if (out.batch_term.defined()) {
      EXPECT_NEAR(out.batch_term.item<double>(), numbers["batch_term"], 1e-9) << name;
    }
    total_of(out).backward();
    EXPECT_LT(largest_difference(input.descriptors.grad(), matrix_tensor(numbers["gradient"])), 1e-8) << name;
    const auto same = [&](const at::Tensor& x, const std::string& key) {
      EXPECT_EQ(x.grad().defined(), numbers.contains(key)) << name << " " << key;
      if (x.grad().defined() && numbers.contains(key)) {
        EXPECT_LT(largest_difference(x.grad().flatten(1), matrix_tensor(numbers[key])), 1e-8) << name << " " << key;
      }
    };
    same(input.raw, "gradient_raw");
    same(input.first_layer, "gradient_first_layer");
    same(input.last_layer, "gradient_last_layer");
  }
}

// Every loss there is, so that a new one cannot be forgotten. A loss with a state is made again for each value: what
// is differentiated is its first batch.
TEST(FieldLosses, GradientsAreThoseOfCentralDifferences) {
  for (const std::string& name : loss_names()) {
    if (name == "dynamic-margin") continue;  // its weights are constants under differentiation: the goldens check it
    const LossInput at_point = formula_input(2);
    const auto value = [&](const at::Tensor& x) {
      LossInput input = at_point;
      input.descriptors = x;
      return total_of((*make_loss(options_of(name)))(input));
    };
    at::Tensor x = at_point.descriptors.clone().requires_grad_(true);
    const at::Tensor gradient = torch::autograd::grad({value(x)}, {x})[0];
    torch::NoGradGuard no_grad;
    const double step = 1e-6;
    for (int64_t i = 0; i < x.numel(); i += 5) {
      at::Tensor up = at_point.descriptors.clone(), down = up.clone();
      up.view({-1})[i] += step;
      down.view({-1})[i] -= step;
      // aht's gradient is that of arccos(x . y)^2, which differs from 2 atan2 off the sphere along the row itself.
      if (name == "aht") continue;
      EXPECT_NEAR(gradient.view({-1})[i].item<double>(), (value(up) - value(down)).item<double>() / (2 * step), 2e-6)
          << name << " " << i;
    }
  }
}

TEST(FieldLosses, WhatTheyAskFor) {
  for (const std::string& name : loss_names()) {
    const auto loss = make_loss(options_of(name));
    EXPECT_EQ(loss->wants_activations(), name == "hynet" || name == "l2net") << name;
    EXPECT_EQ(loss->needs_unit_rows(), !name.starts_with("tfeat") && name != "deepdesc" && name != "matchnet") << name;
    EXPECT_EQ(loss->needs_metric(), name == "matchnet") << name;
    EXPECT_EQ(loss->state().empty(), name != "dynamic-margin") << name;
    LossOptions drawn = options_of(name);
    drawn.mining.choice = NegativeChoice::kDistanceWeighted;
    const bool mines = name == "aht" || name == "ht" || name == "sosnet" || name == "hynet";
    EXPECT_EQ(make_loss(drawn)->wants_noise(), mines) << name;
  }
}

TEST(DynamicMargin, HardTripletsCountMostAndTheStateMoves) {
  const auto loss = make_loss(options_of("dynamic-margin"));
  const LossInput input = formula_input(2);
  const LossOutput out = (*loss)(input);
  const at::Tensor x = out.positive_distance - out.negative_distance;
  const at::Tensor w = out.per_pair / x;
  EXPECT_NEAR(w[x.argmax()].item<double>(), 1, 0.2) << "the hardest: all others are easier";
  EXPECT_LT(w[x.argmin()].item<double>(), 2.0 / kClasses);
  const LossState state = loss->state();
  const at::Tensor before = state.at("histogram").clone();
  EXPECT_NEAR(before.sum().item<double>(), 1, 1e-12);
  LossInput other = input;
  other.descriptors = formula_views(2, 7);
  (*loss)(other);
  EXPECT_EQ(state.at("batches").item<int64_t>(), 2);
  EXPECT_NEAR((state.at("histogram") - before).abs().sum().item<double>(), 0, 0.02 + 1e-9) << "one part in a hundred";
  EXPECT_GT((state.at("histogram") - before).abs().sum().item<double>(), 0.001);
}

TEST(Doap, IsNothingForAPerfectRankingAndGrowsWithMistakes) {
  const at::Tensor perfect = at::eye(8, at::kDouble).repeat({3, 1});
  const auto loss = make_loss(options_of("doap"));
  EXPECT_NEAR((*loss)({perfect, 3}).per_pair.max().item<double>(), 0, 1e-9);
  at::Tensor wrong = perfect.clone();
  wrong[8] = perfect[1];  // the positive of class 0 lies on class 1
  const at::Tensor costs = (*loss)({wrong, 3}).per_pair;
  EXPECT_GT(costs[0].item<double>(), 0.3);
  EXPECT_GT(costs[0].item<double>(), costs[1].item<double>());
  EXPECT_LT(costs[5].item<double>(), 1e-6);
}

TEST(Mining, SemiHardIsTheClosestBeyondThePositive) {
  const at::Tensor x = formula_views(2, 2);
  const MinedNegatives mined = mine_negatives(x, {Negatives::kAll, 0, NegativeChoice::kSemiHard});
  const auto distance = [&](int64_t u, int64_t v) { return (x[u] - x[v]).norm().item<double>(); };
  for (int64_t i = 0; i < kClasses; ++i) {
    const double positive = distance(i, kClasses + i);
    double beyond = HUGE_VAL, farthest = 0;
    for (int64_t j = 0; j < kClasses; ++j) {
      if (j == i) continue;
      for (const auto& [u, v] : {std::pair{i, j}, {kClasses + i, kClasses + j}, {i, kClasses + j}, {kClasses + i, j}}) {
        farthest = std::max(farthest, distance(u, v));
        if (distance(u, v) > positive) beyond = std::min(beyond, distance(u, v));
      }
    }
    const double expected = std::isinf(beyond) ? farthest : beyond;
    EXPECT_NEAR(distance(mined.first[i].item<int64_t>(), mined.second[i].item<int64_t>()), expected, 1e-12) << i;
  }
}

// Points on a sphere drawn by 1/q fall evenly over distances between the cuts, which is the method's claim.
TEST(Mining, DistanceWeightsAreOneOverTheDensity) {
  const at::Tensor d = at::linspace(0.51, 1.39, 45, at::kDouble), similarity = 1 - d.square() / 2;
  const int64_t dimension = 16;
  const at::Tensor q = d.pow(dimension - 2) * (1 - d.square() / 4).pow((dimension - 3) / 2.0);
  const at::Tensor log_weight = log_distance_weight(similarity, dimension);
  EXPECT_LT(((log_weight + q.log()) - (log_weight + q.log())[0]).abs().max().item<double>(), 1e-9);
  const at::Tensor ends = log_distance_weight(
      torch::tensor({1 - 0.3 * 0.3 / 2, 1 - 0.5 * 0.5 / 2, 1 - 1.5 * 1.5 / 2}, at::kDouble), dimension);
  EXPECT_NEAR(ends[0].item<double>(), ends[1].item<double>(), 1e-12) << "cut off below 0.5";
  EXPECT_TRUE(std::isinf(ends[2].item<double>())) << "none beyond 1.4";
}

TEST(Mining, DistanceWeightedDrawsFollowTheirWeights) {
  constexpr int64_t kDraws = 4000;
  const at::Tensor x = formula_views(2, 4);
  const MiningOptions options{Negatives::kCross, 0, NegativeChoice::kDistanceWeighted};
  at::Tensor counts = at::zeros({2 * kClasses}, at::kDouble);
  for (int64_t t = 0; t < kDraws; ++t) {
    const at::Tensor noise = at::full({kClasses}, (static_cast<double>(t) + 0.5) / kDraws, at::kDouble);
    const MinedNegatives mined = mine_negatives(x, options, std::nullopt, noise);
    const int64_t first = mined.first[0].item<int64_t>(), second = mined.second[0].item<int64_t>();
    ASSERT_TRUE((first == 0) != (second == kClasses)) << "one of the pair, one of another class";
    counts[first == 0 ? second - kClasses : kClasses + first] += 1;
  }
  at::Tensor weight = at::zeros({2 * kClasses}, at::kDouble);
  for (int64_t j = 1; j < kClasses; ++j) {
    weight[j] = log_distance_weight(x[0].dot(x[kClasses + j]), kSize).exp();
    weight[kClasses + j] = log_distance_weight(x[kClasses].dot(x[j]), kSize).exp();
  }
  ASSERT_GT(weight.sum().item<double>(), 0);
  EXPECT_LT((counts / kDraws - weight / weight.sum()).abs().max().item<double>(), 1e-3);
}

}  // namespace
}  // namespace adasample
