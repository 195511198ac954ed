// SPDX-License-Identifier: Apache-2.0
// The paper's theory as tests (docs/method.md): Theorem 1's identity, Theorem 2's optimum, and the bias of what is done
// in practice. A small network with frozen per-example losses stands for the descriptor network: everything can be
// enumerated.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <cstdio>

#include "adasample/loss/distance.h"
#include "adasample/sampler/pair_draw.h"
#include "adasample/sampler/pair_weights.h"
#include "adasample/sampler/policy.h"
#include "adasample/sampler/tensor_rng.h"
#include "tests/support/golden.h"
#include "tests/support/tensors.h"

namespace adasample {
namespace {

using testing::largest_difference;
using testing::matrix_tensor;
using testing::vector_tensor;

// K examples: losses (K) and gradients (K, parameters) of a tanh network 8 -> 12 -> 6 with unit outputs. Example i is a
// triplet of fixed inputs; its loss is the angular hinge with the negative frozen. Classes hold `k` consecutive
// examples that share an anchor.
struct Examples {
  at::Tensor loss, gradient, positive_distance;
  int64_t count() const { return loss.size(0); }
};

Examples small_net_examples(int64_t classes, int64_t k) {
  torch::manual_seed(21);
  const int64_t count = classes * k;
  const auto randn = [](at::IntArrayRef size) { return at::randn(size, at::kDouble); };
  const at::Tensor w1 = (0.5 * randn({8, 12})).requires_grad_(true), w2 = (0.5 * randn({12, 6})).requires_grad_(true);
  const at::Tensor anchor = randn({classes, 8}).repeat_interleave(k, 0);
  const at::Tensor strength = at::linspace(0.15, 1.2, k, at::kDouble).repeat({classes}).unsqueeze(1);  // graded views
  const at::Tensor positive = anchor + strength * randn({count, 8}), negative = randn({count, 8});
  const auto embed = [&](const at::Tensor& x) {
    const at::Tensor y = x.mm(w1).tanh().mm(w2);
    return y / y.norm(2, 1, true);
  };
  Examples examples;
  std::vector<at::Tensor> losses, gradients;
  for (int64_t i = 0; i < count; ++i) {
    const at::Tensor a = embed(anchor.narrow(0, i, 1)), p = embed(positive.narrow(0, i, 1)),
                     n = embed(negative.narrow(0, i, 1));
    // t = 4 keeps every hinge active: the theorems speak of differentiable losses.
    const at::Tensor loss =
        at::relu(4 + squared_distance(a, p, Metric::kAngular) - squared_distance(a, n, Metric::kAngular).clamp_max(3.5))
            .sum();
    const auto g = torch::autograd::grad({loss}, {w1, w2});
    losses.push_back(loss.detach());
    gradients.push_back(at::cat({g[0].flatten(), g[1].flatten()}));
  }
  examples.loss = at::stack(losses);
  examples.gradient = at::stack(gradients);
  examples.positive_distance = row_distance(embed(anchor), embed(positive), Metric::kAngular).detach();
  return examples;
}

at::Tensor normalised(const at::Tensor& q) { return q / q.sum(); }

// The product's p ~ d^exponent (Eq. 13) over all of d as one class.
at::Tensor drawn_with(const at::Tensor& d, double exponent) {
  const at::Tensor everyone = at::ones({1, d.size(0)}, at::kBool);
  return normalised(relative_probability(d.unsqueeze(0), everyone, torch::tensor(exponent, at::kDouble)).squeeze(0));
}

// E[G] and tr Var[G] of G = w_i g_i with i ~ p, by enumeration.
at::Tensor expectation(const at::Tensor& p, const at::Tensor& w, const at::Tensor& g) {
  return ((p * w).unsqueeze(1) * g).sum(0);
}
double trace_variance(const at::Tensor& p, const at::Tensor& w, const at::Tensor& g) {
  const double second = (p * w.square() * g.square().sum(1)).sum().item<double>();
  return second - expectation(p, w, g).square().sum().item<double>();
}

// w that makes p follow the gradient of the mean of L^alpha (Eq. 9, 10).
at::Tensor unbiased_weights(const at::Tensor& p, const at::Tensor& loss, double alpha) {
  return alpha * loss.pow(alpha - 1) / (static_cast<double>(loss.size(0)) * p);
}
at::Tensor target_gradient(const Examples& e, double alpha) {
  return (alpha * e.loss.pow(alpha - 1).unsqueeze(1) * e.gradient).mean(0);
}
// Theorem 2's optimum (Eq. 11, 17).
at::Tensor optimal_probability(const at::Tensor& loss, const at::Tensor& gradient, double alpha) {
  return normalised(loss.pow(alpha - 1) * gradient.norm(2, 1));
}

TEST(Theorem1, RectificationSplitsIntoMeanAndVariance) {
  const Examples e = small_net_examples(10, 4);
  torch::manual_seed(5);
  const int64_t parameters = e.gradient.size(1);
  const at::Tensor offset = at::randn({parameters}, at::kDouble);  // theta - theta*
  for (const double eta : {0.01, 0.3}) {
    for (const double exponent : {0.0, 3.0}) {
      const at::Tensor p = drawn_with(e.positive_distance, exponent), w = 1 / (static_cast<double>(e.count()) * p);
      // Definition 2 (Eq. 6), enumerated: R = -E[ |theta - eta G - theta*|^2 - |theta - theta*|^2 ].
      const at::Tensor after = offset.unsqueeze(0) - eta * w.unsqueeze(1) * e.gradient;
      const double direct = -(p * (after.square().sum(1) - offset.square().sum())).sum().item<double>();
      const at::Tensor mean = expectation(p, w, e.gradient);
      const double formula = 2 * eta * offset.dot(mean).item<double>() -
                             eta * eta * mean.square().sum().item<double>() -
                             eta * eta * trace_variance(p, w, e.gradient);
      EXPECT_NEAR(direct, formula, 1e-10 * std::max(1.0, std::abs(direct)));
    }
  }
}

TEST(Theorem2, Golden) {
  const auto cases = testing::golden("adasample/theorem2.json");
  ASSERT_EQ(cases.size(), 3u);
  for (const auto& c : cases) {
    const double alpha = c["alpha"];
    const at::Tensor loss = vector_tensor(c["L"]), g = matrix_tensor(c["grads"]);
    const at::Tensor p = optimal_probability(loss, g, alpha), w = unbiased_weights(p, loss, alpha);
    EXPECT_LT(largest_difference(p, vector_tensor(c["p_star"])), 1e-9);
    EXPECT_LT(largest_difference(w, vector_tensor(c["w_star"])), 1e-9);
    EXPECT_LT(largest_difference(expectation(p, w, g), vector_tensor(c["E_G"])), 1e-9);
    EXPECT_NEAR(trace_variance(p, w, g), c["trVar_p_star"].get<double>(), 1e-9);
    const at::Tensor uniform = at::full_like(p, 1.0 / static_cast<double>(p.size(0))), by_loss = normalised(loss);
    EXPECT_NEAR(trace_variance(uniform, unbiased_weights(uniform, loss, alpha), g), c["trVar_uniform"].get<double>(),
                1e-9);
    EXPECT_NEAR(trace_variance(by_loss, unbiased_weights(by_loss, loss, alpha), g), c["trVar_p_prop_L"].get<double>(),
                1e-9);
  }
}

// Draws with the product's own generator and inverse CDF; the mean of w_i g_i must be the gradient of the mean of
// L^alpha.
TEST(Theorem2, DrawsAreUnbiasedAndVaryLessThanUniformOnes) {
  const Examples e = small_net_examples(10, 4);
  constexpr int64_t kDraws = 40000;
  for (const double alpha : {1.0, 2.0, 4.0}) {
    SCOPED_TRACE(alpha);
    const at::Tensor target = target_gradient(e, alpha);
    double spread[2];
    const at::Tensor uniform_p = at::full({e.count()}, 1.0 / static_cast<double>(e.count()), at::kDouble);
    for (const bool optimal : {true, false}) {
      const at::Tensor p = optimal ? optimal_probability(e.loss, e.gradient, alpha) : uniform_p;
      const at::Tensor w = unbiased_weights(p, e.loss, alpha);
      const at::Tensor u = uniform(7, Draw::kPositive, torch::tensor(int64_t{optimal}), at::arange(kDraws, at::kLong));
      const at::Tensor drawn = inverse_cdf(p.unsqueeze(0).expand({kDraws, -1}), u);
      const at::Tensor samples = w.index_select(0, drawn).unsqueeze(1) * e.gradient.index_select(0, drawn);
      const at::Tensor mean = samples.mean(0);
      spread[optimal] = (samples - mean).square().sum(1).mean().item<double>();
      // Three standard errors of the mean vector's length.
      EXPECT_LT((mean - target).norm().item<double>(), 3 * std::sqrt(spread[optimal] / kDraws));
      EXPECT_NEAR(spread[optimal] / trace_variance(p, w, e.gradient), 1, 0.1);
    }
    EXPECT_LT(spread[true], spread[false]);
  }
}

// No p beats Theorem 2's under the same constraint: small moves away from it only add variance.
TEST(Theorem2, IsAMinimum) {
  const Examples e = small_net_examples(10, 4);
  torch::manual_seed(8);
  for (const double alpha : {1.0, 3.0}) {
    const at::Tensor best = optimal_probability(e.loss, e.gradient, alpha);
    const double least = trace_variance(best, unbiased_weights(best, e.loss, alpha), e.gradient);
    for (int trial = 0; trial < 50; ++trial) {
      const at::Tensor other = normalised(best * (0.2 * at::randn({e.count()}, at::kDouble)).exp());
      EXPECT_GT(trace_variance(other, unbiased_weights(other, e.loss, alpha), e.gradient), least);
    }
  }
}

// Where the approximations of Eq. 22 to 24 hold exactly, L = d^2 with the gradient taken at the positive's descriptor,
// the product's p and w are Theorem 2's: p from the exponent that --alpha gives, w ~ 1/d.
TEST(Eq12, IsTheOptimumWhereLossIsSquaredDistance) {
  torch::manual_seed(13);
  const auto unit_rows = [](int64_t rows) {
    const at::Tensor x = at::randn({rows, 6}, at::kDouble);
    return x / x.norm(2, 1, true);
  };
  const at::Tensor anchor = unit_rows(1).expand({9, -1});
  for (const Metric metric : {Metric::kAngular, Metric::kEuclidean}) {
    SCOPED_TRACE(std::string(to_string(metric)));
    at::Tensor positive = unit_rows(9).requires_grad_(true);
    const at::Tensor loss = squared_distance(anchor, positive, metric);
    at::Tensor gradient = torch::autograd::grad({loss.sum()}, {positive})[0];
    positive = positive.detach();
    if (metric == Metric::kAngular) gradient -= (gradient * positive).sum(1, true) * positive;  // along the sphere
    const at::Tensor d = row_distance(anchor, positive, metric);
    EXPECT_LT(largest_difference(gradient.norm(2, 1), 2 * d), 1e-9) << "Eq. 24";
    for (const double alpha : {0.5, 1.0, 2.5}) {
      const SamplerPolicy policy = make_sampler_policy("adasample", 10, alpha, "distance");
      at::Tensor exponent = at::zeros({}, at::kDouble);
      set_exponent(policy, /*ramp=*/1, torch::tensor(0.7, at::kDouble), exponent);
      const at::Tensor p = drawn_with(d, exponent.item<double>());
      EXPECT_LT(largest_difference(p, optimal_probability(loss.detach(), gradient, alpha)), 1e-12) << alpha;
      const at::Tensor ratio = distance_weights(d) / unbiased_weights(p, loss.detach(), alpha);
      EXPECT_LT(largest_difference(ratio / ratio[0], at::ones_like(ratio)), 1e-12) << alpha;
      // So the product's step, enumerated, is along the gradient of the mean of L^alpha.
      const at::Tensor step = expectation(p, distance_weights(d), gradient);
      const at::Tensor target = (alpha * loss.detach().pow(alpha - 1).unsqueeze(1) * gradient).mean(0);
      EXPECT_NEAR((step.dot(target) / (step.norm() * target.norm())).item<double>(), 1, 1e-12) << alpha;
    }
  }
}

// What training does: per class p ~ d^exponent (Eq. 13) and w = (1/d) / batch mean of (1/d). Both approximate Theorem 2
// (|grad| ~ d, L ~ d^2, one normalisation a class), and the batch mean correlates with the draws, so the expected step
// is not along the gradient of the mean of L^alpha, alpha = (exponent + 1) / 2. How far is measured here and stated in
// docs/method.md: `cosine` to that gradient, and how much of it the batch mean adds (`shift`, against plain 1/d).
TEST(Eq13, BiasOfTheBatchNormalisedStepIsKnown) {
  constexpr int64_t kClasses = 32, kViews = 8, kSteps = 20000;
  const Examples e = small_net_examples(kClasses, kViews);
  const at::Tensor d = e.positive_distance.view({kClasses, kViews});
  const at::Tensor everyone = at::ones_like(d).to(at::kBool);
  struct Measured {
    double exponent, cosine;
  };
  for (const auto& [exponent, measured] : {Measured{1, 0.936}, Measured{5, 0.773}}) {
    const at::Tensor q = relative_probability(d, everyone, torch::tensor(exponent, at::kDouble));
    const at::Tensor target = target_gradient(e, (exponent + 1) / 2);
    at::Tensor sum = at::zeros_like(target), plain_sum = at::zeros_like(target);
    double square = 0;
    for (int64_t step = 0; step < kSteps; ++step) {
      const at::Tensor u = uniform(3, Draw::kPositive, torch::tensor(step), at::arange(kClasses, at::kLong));
      const at::Tensor drawn = inverse_cdf(q, u) + kViews * at::arange(kClasses, at::kLong);
      const at::Tensor distance = e.positive_distance.index_select(0, drawn), g = e.gradient.index_select(0, drawn);
      const at::Tensor normalised_step = (distance_weights(distance).unsqueeze(1) * g).mean(0);
      sum += normalised_step;
      plain_sum += (distance.clamp_min(1e-2).reciprocal().unsqueeze(1) * g).mean(0);
      square += normalised_step.square().sum().item<double>();
    }
    const auto cosine_of = [](const at::Tensor& a, const at::Tensor& b) {
      return (a.dot(b) / (a.norm() * b.norm())).item<double>();
    };
    const at::Tensor mean = sum / kSteps;
    const double cosine = cosine_of(mean, target), shift = 1 - cosine_of(sum, plain_sum);
    const double bias = std::sqrt(1 - cosine * cosine);  // of the step's length, across the target
    const double error =
        std::sqrt((square / kSteps - mean.square().sum().item<double>()) / kSteps) / mean.norm().item<double>();
    std::printf("exponent %g: cosine %.4f, bias %.3f of the step (standard error %.3f), shift by the batch mean %.5f\n",
                exponent, cosine, bias, error, shift);
    EXPECT_GT(bias, 3 * error) << "if the bias were gone, docs/method.md would be wrong";
    EXPECT_NEAR(cosine, measured, 0.02) << "docs/method.md states another figure";
    EXPECT_LT(shift, 0.01) << "the batch mean is not where the bias comes from";
  }
}

}  // namespace
}  // namespace adasample
