// SPDX-License-Identifier: Apache-2.0
#include "adasample/sampler/sampler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "adasample/sampler/pair_draw.h"
#include "adasample/sampler/pair_weights.h"
#include "adasample/sampler/tensor_rng.h"
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

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double number(const json& value) { return value.is_string() ? kInfinity : value.get<double>(); }

// Random descriptors of n classes with 2..k patches each.
SamplerInput random_input(int64_t n, int64_t k, uint64_t seed, double exponent) {
  torch::manual_seed(seed);
  at::Tensor x = at::randn({n, k, 16});
  SamplerInput input;
  input.k = k;
  input.descriptors = x / x.norm(2, 2, true);
  input.counts = at::randint(2, k + 1, {n}, at::kLong);
  input.classes = at::randperm(10 * n, at::kLong).narrow(0, 0, n);
  input.iteration = torch::tensor(int64_t{17});
  input.exponent = torch::tensor(exponent, at::kFloat);
  return input;
}

Sampler named(const std::string& name, uint64_t seed, Metric metric) {
  return {make_sampler_policy(name, 10, std::nullopt, "distance"), seed, metric};
}

// The input with the exponent that the sampler's policy gives it at L_avg = 1, after the warm-up.
SamplerInput with_its_exponent(SamplerInput input, const Sampler& sampler) {
  input.exponent = at::zeros({}, at::kDouble);
  set_exponent(sampler.policy(), 1, at::ones({}, at::kDouble), input.exponent);
  return input;
}

double exponent_of(const SamplerPolicy& policy, double ramp, double average) {
  at::Tensor exponent = at::full({}, -1, at::kDouble);
  set_exponent(policy, ramp, at::full({}, average, at::kDouble), exponent);
  return exponent.item<double>();
}

TEST(TensorRng, EqualsTheScalarGenerator) {
  const at::Tensor classes = torch::tensor({int64_t{0}, int64_t{1}, int64_t{123456789}, int64_t{-5}, INT64_MAX});
  for (const int64_t iteration : {int64_t{0}, int64_t{1}, int64_t{87930}}) {
    const at::Tensor u = uniform(42, Draw::kAnchor, torch::tensor(iteration), classes);
    for (int64_t i = 0; i < classes.size(0); ++i) {
      const RngKey key = RngKey(42, Draw::kAnchor)
                             .at(static_cast<uint64_t>(iteration))
                             .at(static_cast<uint64_t>(classes[i].item<int64_t>()));
      EXPECT_EQ(u[i].item<double>(), key.uniform());
    }
  }
}

TEST(RelativeProbability, Golden) {
  const json file = golden("adasample/sampling_probabilities.json");
  ASSERT_EQ(file["cases"].size(), 560u);
  for (const json& record : file["cases"]) {
    const at::Tensor d = vector_tensor(record["d"]).unsqueeze(0);
    const at::Tensor exponent = torch::tensor(number(record["exponent"]), at::kDouble);
    const at::Tensor q = relative_probability(d, at::ones_like(d).to(at::kBool), exponent);
    const at::Tensor p = (q / q.sum()).squeeze(0);
    EXPECT_LT(largest_difference(p, vector_tensor(record["p"])), 1e-9) << record["case"] << " " << record["exponent"];
  }
}

TEST(RelativeProbability, FloatDistancesAndHugeExponents) {
  const at::Tensor d = torch::tensor({{0.2f, 0.5f, 0.9f, 0.9f}});
  for (const double exponent : {1e20, 1e39, 1e300}) {
    const at::Tensor q = relative_probability(d, at::ones_like(d).to(at::kBool), torch::tensor(exponent, at::kDouble));
    EXPECT_LT(largest_difference(q, torch::tensor({{0.0, 0.0, 1.0, 1.0}}, at::kDouble)), 1e-12) << exponent;
  }
}

TEST(InverseCdf, GoldenPicks) {
  const json file = golden("adasample/class_pick.json");
  ASSERT_EQ(file.size(), 20u);
  for (const json& record : file) {
    SamplerInput input;
    input.descriptors = matrix_tensor(record["descriptors"]).unsqueeze(0);
    input.counts = torch::tensor({input.descriptors.size(1)});
    const at::Tensor anchor = torch::tensor({record["anchor"].get<int64_t>()});
    const at::Tensor distances = distances_to_anchor(input, anchor, Metric::kAngular);
    const at::Tensor mask = candidate_mask(anchor, input.counts, input.descriptors.size(1));
    // arccos near 1 loses digits in the reference; 1e-9 holds for these well separated vectors.
    EXPECT_LT(largest_difference(distances.masked_select(mask), vector_tensor(record["d_angular"])), 1e-9);
    const double exponent = number(record["lambda"]) / record["L_avg"].get<double>();
    const at::Tensor q = relative_probability(distances, mask, torch::tensor(exponent, at::kDouble));
    EXPECT_LT(largest_difference((q / q.sum()).masked_select(mask), vector_tensor(record["p"])), 1e-9);
    for (const auto& [u, pick] : record["picks_for_u (first candidate with cdf > u)"].items()) {
      EXPECT_EQ(inverse_cdf(q, torch::tensor({std::stod(u)}, at::kDouble)).item<int64_t>(), pick.get<int64_t>());
    }
  }
}

TEST(InverseCdf, LargestUniformNumberStaysInside) {
  const at::Tensor q = torch::tensor({{1.0, 1.0, 1.0, 0.0}, {0.1, 0.2, 0.3, 0.0}}, at::kDouble);
  const at::Tensor u = at::full({2}, 1 - 0x1.0p-53, at::kDouble);
  EXPECT_EQ(inverse_cdf(q, u).max().item<int64_t>(), 2);
}

TEST(Weights, Golden) {
  int checked = 0;
  const json file = golden("adasample/weights.json");
  for (const json& record : file["cases"]) {
    if (!record.contains("eps")) continue;
    const at::Tensor w = distance_weights(vector_tensor(record["d"]), record["eps"]);
    const at::Tensor expected = vector_tensor(record["w_mean1 = raw/mean(raw)"]);
    EXPECT_LT(((w - expected).abs() / expected.abs().clamp_min(1)).max().item<double>(), 1e-9);
    ++checked;
  }
  EXPECT_GT(checked, 10);
}

// For every sampler: indices inside the class, anchor and positive differ, the same seed draws the same, another does
// not.
TEST(Samplers, InClassAndReproducible) {
  for (const std::string& name : sampler_names()) {
    const SamplerInput input = with_its_exponent(random_input(500, 9, 3, 10), named(name, 7, Metric::kAngular));
    const PairDraw draw = named(name, 7, Metric::kAngular).draw(input);
    EXPECT_TRUE((draw.anchor < input.counts).all().item<bool>()) << name;
    EXPECT_TRUE((draw.positive < input.counts).all().item<bool>()) << name;
    EXPECT_TRUE((draw.anchor >= 0).all().item<bool>() && (draw.positive >= 0).all().item<bool>()) << name;
    EXPECT_TRUE((draw.anchor != draw.positive).all().item<bool>()) << name;
    EXPECT_LT(largest_difference(draw.probability.sum(1), at::ones({500})), 1e-6) << name;
    const PairDraw again = named(name, 7, Metric::kAngular).draw(input);
    EXPECT_TRUE(at::equal(again.anchor, draw.anchor) && at::equal(again.positive, draw.positive)) << name;
    EXPECT_FALSE(at::equal(named(name, 8, Metric::kAngular).draw(input).anchor, draw.anchor)) << name;
  }
}

TEST(Samplers, LimitsOfLambda) {
  for (const auto metric : {Metric::kAngular, Metric::kEuclidean}) {
    for (uint64_t seed = 0; seed < 20; ++seed) {
      SamplerInput input = random_input(200, 7, seed, 0);
      const PairDraw zero = named("adasample", seed, metric).draw(input);
      const PairDraw random = named("random", seed, metric).draw(input);
      EXPECT_TRUE(at::equal(zero.anchor, random.anchor) && at::equal(zero.positive, random.positive));
      EXPECT_TRUE(at::equal(zero.distance, random.distance));
      input.exponent = torch::tensor(kInfinity, at::kFloat);
      const PairDraw infinite = named("adasample", seed, metric).draw(input);
      const PairDraw hardest = named("hardest", seed, metric).draw(input);
      EXPECT_TRUE(at::equal(infinite.anchor, hardest.anchor) && at::equal(infinite.positive, hardest.positive));
      const at::Tensor farthest = distances_to_anchor(input, hardest.anchor, metric)
                                      .masked_fill(candidate_mask(hardest.anchor, input.counts, 7).logical_not(), -1)
                                      .amax(1);
      EXPECT_TRUE(at::equal(hardest.distance, farthest));
    }
  }
}

TEST(Samplers, RandomNeedsNoDescriptors) {
  SamplerInput input = random_input(50, 5, 1, 0);
  const PairDraw with = named("random", 3, Metric::kAngular).draw(input);
  input.descriptors = at::Tensor();
  const PairDraw without = named("random", 3, Metric::kAngular).draw(input);
  EXPECT_TRUE(at::equal(with.positive, without.positive));
  EXPECT_FALSE(without.distance.defined());
}

// Draws follow p of Eq. 13: chi-square over many iterations of one class, 99.9 % bound for 4 degrees of freedom.
TEST(Samplers, DrawsFollowTheProbabilities) {
  SamplerInput input = random_input(4000, 6, 5, 4);
  input.descriptors = input.descriptors[0].unsqueeze(0).repeat({4000, 1, 1});
  input.counts.fill_(6);
  const PairDraw draw = named("adasample", 9, Metric::kAngular).draw(input);
  for (int64_t a = 0; a < 6; ++a) {
    const at::Tensor rows = (draw.anchor == a).nonzero().squeeze(1);
    const double count = rows.size(0);
    EXPECT_NEAR(count, 4000.0 / 6, 4 * std::sqrt(4000.0 / 6)) << "anchors are uniform";
    const at::Tensor p = draw.probability.index_select(0, rows)[0].to(at::kDouble);
    const at::Tensor seen = at::bincount(draw.positive.index_select(0, rows), {}, 6).to(at::kDouble);
    const at::Tensor expected = count * p;
    const at::Tensor terms = (seen - expected).square() / expected.clamp_min(1e-9);
    EXPECT_LT(terms.masked_select(p > 0).sum().item<double>(), 18.47) << "anchor " << a;
  }
}

// The same anchors for all three, and candidates from near to far: strength grows with the slot.
TEST(Samplers, HarderOnesDrawFartherPositives) {
  SamplerInput input = random_input(400, 8, 12, 0);
  const at::Tensor strength = at::linspace(0.1, 1.5, 8).view({1, 8, 1});
  const at::Tensor views = input.descriptors.narrow(1, 0, 1) + strength * input.descriptors;
  input.descriptors = views / views.norm(2, 2, true);
  for (const auto metric : {Metric::kAngular, Metric::kEuclidean}) {
    const auto drawn = [&](const std::string& name) {
      const Sampler sampler = named(name, 5, metric);
      return sampler.draw(with_its_exponent(input, sampler)).distance;
    };
    const at::Tensor uniform = drawn("random"), adaptive = drawn("adasample"), farthest = drawn("hardest");
    EXPECT_TRUE((farthest >= adaptive).all().item<bool>() && (farthest >= uniform).all().item<bool>());
    // Standard errors of these means are about 0.02.
    EXPECT_GT(adaptive.mean().item<double>(), uniform.mean().item<double>() + 0.1);
    EXPECT_GT(farthest.mean().item<double>(), adaptive.mean().item<double>() + 0.02);
  }
}

TEST(Samplers, EntropyRunsFromOneToZero) {
  const SamplerInput input = random_input(100, 8, 6, 0);
  SamplerInput sharp = input;
  sharp.exponent = torch::tensor(kInfinity, at::kFloat);
  sharp.counts.fill_(8);
  EXPECT_NEAR(sampling_entropy(named("random", 1, Metric::kAngular).draw(input), input.counts).item<double>(), 1, 1e-6);
  EXPECT_NEAR(sampling_entropy(named("hardest", 1, Metric::kAngular).draw(sharp), sharp.counts).item<double>(), 0,
              1e-6);
}

TEST(Samplers, AllDescriptorsEqualGivesUniform) {
  SamplerInput input = random_input(30, 5, 2, 10);
  input.descriptors = at::ones({30, 5, 16}) / 4;
  for (const std::string& name : sampler_names()) {
    const PairDraw draw = named(name, 4, Metric::kAngular).draw(input);
    EXPECT_TRUE(at::isfinite(draw.probability).all().item<bool>()) << name;
    EXPECT_TRUE(at::equal(draw.positive, named("random", 4, Metric::kAngular).draw(input).positive)) << name;
  }
}

TEST(SetExponent, ByPolicyRampAndRunningLoss) {
  const auto policy = [](const std::string& name, double lambda, std::optional<double> alpha = std::nullopt) {
    return make_sampler_policy(name, lambda, alpha, "distance");
  };
  EXPECT_EQ(exponent_of(policy("adasample", 10), 1, 0.25), 40);
  EXPECT_EQ(exponent_of(policy("adasample", 10), 0.5, 0.25), 20);
  EXPECT_EQ(exponent_of(policy("adasample", 10), 0.3, 0.7), 0.3 * 10 / 0.7) << "the same bits";
  EXPECT_EQ(exponent_of(policy("adasample", 0), 1, 0.25), 0);
  EXPECT_EQ(exponent_of(policy("adasample", 10, 3), 1, 0.25), 5) << "whatever the loss";
  EXPECT_EQ(exponent_of(policy("adasample", 10, 3), 0.5, 0.25), 2.5);
  EXPECT_EQ(exponent_of(policy("random", 10, 3), 1, 0.25), 0);
  for (const SamplerPolicy& infinite :
       {policy("adasample", kInfinity), policy("hardest", 10), policy("hardest", 10, 3)}) {
    EXPECT_EQ(exponent_of(infinite, 1, 0.25), kInfinity);
    EXPECT_EQ(exponent_of(infinite, 0.01, 0.25), kInfinity);
    EXPECT_EQ(exponent_of(infinite, 0, 0.25), 0) << "the warm-up draws uniformly";
  }
}

TEST(Members, OthersAreDistinctInTheirClassAndUniform) {
  const int64_t n = 3, k = 6, count = 2;
  SamplerInput input{k, {}, torch::tensor({6, 3, 2}, at::kLong), torch::tensor({5, 9, 70}, at::kLong), {}, {}};
  at::Tensor seen = at::zeros({k}, at::kDouble);
  constexpr int64_t kDraws = 3000;
  for (int64_t t = 0; t < kDraws; ++t) {
    input.iteration = torch::tensor(t, at::kLong);
    PairDraw draw;
    draw.anchor = torch::tensor({0, 0, 1}, at::kLong);
    draw.positive = torch::tensor({1, 1, 0}, at::kLong);
    const at::Tensor others = draw_others(7, input, draw, count);  // (n, 2)
    const auto at = [&](int64_t i, int64_t j) { return others[i][j].item<int64_t>(); };
    ASSERT_NE(at(0, 0), at(0, 1));
    for (const int64_t j : {0, 1}) {
      ASSERT_GE(at(0, j), 2);
      seen[at(0, j)] += 1;
    }
    ASSERT_EQ(at(1, 0), 2) << "the only one left";
    ASSERT_EQ(at(1, 1), 1) << "none left: the positive again";
    ASSERT_EQ(at(2, 0), 0);
  }
  // Half of the draws each, deviation sqrt(0.25 / 3000) = 0.009.
  EXPECT_LT((seen.narrow(0, 2, 4) / kDraws - 0.5).abs().max().item<double>(), 0.04);
  const at::Tensor present = members_present(input.counts, 2 + count);
  EXPECT_TRUE(
      present.equal(torch::tensor({{true, true, true, true}, {true, true, true, false}, {true, true, false, false}})));
  EXPECT_EQ(n, present.size(0));
}

}  // namespace
}  // namespace adasample
