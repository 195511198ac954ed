// SPDX-License-Identifier: Apache-2.0
#include "adasample/sampler/pair_weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "adasample/sampler/pair_draw.h"
#include "adasample/sampler/tensor_rng.h"

namespace adasample {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

at::Tensor scalar(double value) { return torch::tensor(value, at::kDouble); }

// Three classes of 4, 3 and 2 patches in four slots; the anchors are slots 0, 2 and 1. What stands at an anchor's slot
// and in padding must not matter.
struct Batch {
  at::Tensor distances = torch::tensor({{9.0, 0.5, 1.0, 0.25}, {0.3, 0.6, 9.0, 9.0}, {1.2, 9.0, 9.0, 9.0}}, at::kDouble);
  SamplerInput input{4, {}, torch::tensor({4, 3, 2}, at::kLong), torch::arange(3), torch::tensor(0), scalar(2)};
  PairDraw draw;

  explicit Batch(double exponent) {
    input.exponent = scalar(exponent);
    draw.anchor = torch::tensor({0, 2, 1}, at::kLong);
    draw.positive = torch::tensor({1, 1, 0}, at::kLong);
    draw.distances = distances;
    draw.distance = distances.gather(1, draw.positive.unsqueeze(1)).squeeze(1);
    const at::Tensor q = relative_probability(distances, candidates(), input.exponent);
    draw.probability = q / q.sum(1, true);
  }
  at::Tensor candidates() const { return candidate_mask(draw.anchor, input.counts, input.k); }
  std::vector<double> weights(PairWeights kind) const {
    const at::Tensor w = pair_weights(kind, draw.distance, draw, input);
    return {w.data_ptr<double>(), w.data_ptr<double>() + w.numel()};
  }
};

void expect_near(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-12) << i;
}

TEST(PairWeights, Eq9ByHand) {
  // Z/m: (0.25 + 1 + 0.0625) / 3 = 0.4375, (0.09 + 0.36) / 2 = 0.225, 1.44; over d: 0.875, 0.375, 1.2; mean 2.45 / 3.
  expect_near(Batch(2).weights(PairWeights::kEq9), {0.875 * 3 / 2.45, 0.375 * 3 / 2.45, 1.2 * 3 / 2.45});
  // Exponent 0: Z/m = 1.
  const Batch uniform(0);
  const at::Tensor plain = distance_weights(uniform.draw.distance);
  expect_near(uniform.weights(PairWeights::kEq9), {plain.data_ptr<double>(), plain.data_ptr<double>() + 3});
  PairDraw unmeasured = uniform.draw;
  unmeasured.distances = at::Tensor();
  EXPECT_TRUE(at::allclose(pair_weights(PairWeights::kEq9, uniform.draw.distance, unmeasured, uniform.input), plain));
  // Infinite: the class with the batch's largest distance alone.
  expect_near(Batch(kUnbounded).weights(PairWeights::kEq9), {0, 0, 3});
}

TEST(PairWeights, Eq9IsClippedAtTenBatchMeans) {
  const at::Tensor d = at::full({64}, 0.5, at::kDouble);
  at::Tensor power = at::full({64}, -40.0, at::kDouble);
  power[3] = 0;
  const at::Tensor w = eq9_weights(d, power);
  EXPECT_DOUBLE_EQ(w[3].item<double>(), kLargestEq9Weight);
  EXPECT_LT(w[4].item<double>(), 1e-10);
  EXPECT_NEAR(effective_pairs(w).item<double>(), 1, 1e-9);
}

// Exponents at which d^e leaves the range of doubles.
TEST(PairWeights, Eq9NeverOverflows) {
  for (const double exponent : {1e3, 1e6, 1e300}) {
    const std::vector<double> w = Batch(exponent).weights(PairWeights::kEq9);
    expect_near(w, {0, 0, 3});
  }
  Batch zero(5);
  zero.draw.distances = at::zeros_like(zero.distances);
  zero.draw.distance = at::zeros({3}, at::kDouble);
  zero.draw.probability = zero.candidates().to(at::kDouble) / zero.candidates().sum(1, true);
  for (const PairWeights kind : {PairWeights::kDistance, PairWeights::kEq9, PairWeights::kClass}) {
    expect_near(zero.weights(kind), {1, 1, 1});
  }
}

TEST(PairWeights, ClassByHand) {
  // p ~ d^2: the class's sum of p/d is (0.5 + 1 + 0.25) / 1.3125, 0.9 / 0.45, 1 / 1.2.
  expect_near(Batch(2).weights(PairWeights::kClass), {2 * 1.3125 / 1.75, (1 / 0.6) / 2, 1});
  expect_near(Batch(kUnbounded).weights(PairWeights::kClass), {2, 1, 1});  // the first drew what it never would
}

TEST(PairWeights, NoneIsOne) { expect_near(Batch(3).weights(PairWeights::kNone), {1, 1, 1}); }

TEST(PairWeights, EffectivePairs) {
  EXPECT_DOUBLE_EQ(effective_pairs(at::full({7}, 0.3)).item<double>(), 7);
  EXPECT_DOUBLE_EQ(effective_pairs(torch::tensor({1.0, 3.0})).item<double>(), 16.0 / 10);
}

// What each is unbiased for, by drawing. A pair adds w times the unit vector of its (class, anchor, positive): the mean
// over many draws must be proportional to d^(e-1) / (k_c m) for eq9, and to d^(e-1) / (k_c sum of d^(e-1)) for class.
// The draws and the weights are the training's own.
class UnbiasedWeights : public ::testing::TestWithParam<PairWeights> {};

TEST_P(UnbiasedWeights, MeanOfManyDraws) {
  constexpr int64_t kClasses = 3, kSlots = 4, kDraws = 200000;
  constexpr double kExponent = 2.5;
  const std::vector<int64_t> counts = {4, 3, 2};
  // A distance for each two patches of a class: points on a line would do, these need not be a metric.
  const auto distance = [](int64_t c, int64_t a, int64_t b) {
    return a == b ? 0 : 0.3 + 0.15 * static_cast<double>(c) + 0.11 * static_cast<double>(a + b) + 0.07 * (a * b % 3);
  };
  at::Tensor table = at::zeros({kClasses, kSlots, kSlots}, at::kDouble);
  for (int64_t c = 0; c < kClasses; ++c) {
    for (int64_t a = 0; a < counts[static_cast<size_t>(c)]; ++a) {
      for (int64_t b = 0; b < counts[static_cast<size_t>(c)]; ++b) table[c][a][b] = distance(c, a, b);
    }
  }
  // Many batches at once: row r is class r % 3 of batch r / 3, and its number keys its draw.
  SamplerInput input{kSlots, {}, {}, at::arange(kDraws * kClasses), torch::tensor(0), scalar(kExponent)};
  const at::Tensor of_class = input.classes.remainder(kClasses);
  input.counts = torch::tensor(counts, at::kLong).index_select(0, of_class);
  const at::Tensor anchor = draw_anchors(5, input);
  const at::Tensor distances = table.flatten(0, 1).index_select(0, of_class * kSlots + anchor);
  const at::Tensor q = relative_probability(distances, candidate_mask(anchor, input.counts, kSlots), input.exponent);
  const PairDraw draw = finish_draw(5, input, anchor, q, distances);
  // Neither batch mean nor clip: those are the training's, and what is left of the bias is theirs.
  const at::Tensor w =
      GetParam() == PairWeights::kClass
          ? class_weights(draw.distance, distances, draw.probability)
          : log_mean_power(distances, candidate_mask(anchor, input.counts, kSlots), input.exponent).exp() / draw.distance;

  at::Tensor mean = at::zeros({kClasses * kSlots * kSlots}, at::kDouble), square = at::zeros_like(mean);
  const at::Tensor cell = (of_class * kSlots + anchor) * kSlots + draw.positive;
  mean.index_add_(0, cell, w / kDraws);
  square.index_add_(0, cell, w.square() / kDraws);
  double scale = 0;  // found over expected, of the first cell that has one
  for (int64_t c = 0; c < kClasses; ++c) {
    const int64_t count = counts[static_cast<size_t>(c)];
    for (int64_t a = 0; a < count; ++a) {
      double powers = 0;
      for (int64_t b = 0; b < count; ++b) powers += a == b ? 0 : std::pow(distance(c, a, b), kExponent - 1);
      for (int64_t b = 0; b < count; ++b) {
        if (a == b) continue;
        const auto k = static_cast<double>(count);
        const double expected = std::pow(distance(c, a, b), kExponent - 1) / k /
                                (GetParam() == PairWeights::kClass ? powers : k - 1);
        const int64_t i = (c * kSlots + a) * kSlots + b;
        const double found = mean[i].item<double>();
        const double error = std::sqrt(square[i].item<double>() - found * found) / std::sqrt(kDraws);
        if (GetParam() == PairWeights::kClass) scale = 1;  // no unknown factor
        if (scale == 0) scale = std::pow(1 / table.max().item<double>(), kExponent);  // the batch's maximum is out
        EXPECT_NEAR(found, scale * expected, 4.5 * error) << c << " " << a << " " << b;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, UnbiasedWeights, ::testing::Values(PairWeights::kEq9, PairWeights::kClass));

}  // namespace
}  // namespace adasample
