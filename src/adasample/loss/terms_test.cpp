// SPDX-License-Identifier: Apache-2.0
#include "adasample/loss/terms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <vector>

#include "tests/support/expect_error.h"

namespace adasample {
namespace {

// Anchors and positives of n classes, (2n, D) unit rows; positives near their anchors.
at::Tensor two_views(int64_t n, int64_t size, uint64_t seed) {
  torch::manual_seed(seed);
  const at::Tensor anchors = at::randn({n, size}, at::kDouble);
  const at::Tensor x = at::cat({anchors, anchors + 0.5 * at::randn_like(anchors)});
  return x / x.norm(2, 1, true);
}

double dot(const at::Tensor& x, int64_t i, int64_t j) { return x[i].dot(x[j]).item<double>(); }
double euclidean(const at::Tensor& x, int64_t i, int64_t j) { return (x[i] - x[j]).norm().item<double>(); }

// By central differences, against autograd's.
void expect_gradient(BatchTerm& term, const at::Tensor& at_point) {
  at::Tensor x = at_point.clone().requires_grad_(true);
  const at::Tensor gradient = torch::autograd::grad({term({x})}, {x})[0];
  torch::NoGradGuard no_grad;
  const double step = 1e-6;
  for (int64_t i = 0; i < x.numel(); i += 3) {
    at::Tensor up = at_point.clone(), down = at_point.clone();
    up.flatten()[i] += step;
    down.flatten()[i] -= step;
    const double numeric = (term({up}) - term({down})).item<double>() / (2 * step);
    EXPECT_NEAR(gradient.flatten()[i].item<double>(), numeric, 1e-6) << i;
  }
}

TEST(Gor, ByPlainLoops) {
  const int64_t n = 7, size = 5;
  const at::Tensor leaning = two_views(n, size, 3) + 0.3, x = leaning / leaning.norm(2, 1, true);
  double first = 0, second = 0;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      if (i == j) continue;
      first += dot(x, i, n + j) / static_cast<double>(n * (n - 1));
      second += std::pow(dot(x, i, n + j), 2) / static_cast<double>(n * (n - 1));
    }
  }
  ASSERT_GT(second, 0.2) << "both parts are active";
  EXPECT_NEAR((*make_gor())({x}).item<double>(), first * first + second - 0.2, 1e-12);
  expect_gradient(*make_gor(), x);
}

TEST(Gor, IsNothingForOrthogonalDescriptors) {
  EXPECT_EQ((*make_gor())({at::eye(6, at::kDouble).repeat({2, 1})}).item<double>(), 0);
  EXPECT_NEAR((*make_gor())({at::ones({8, 4}, at::kDouble) / 2}).item<double>(), 1 + 0.75, 1e-12) << "collapsed";
}

TEST(Sos, ByPlainLoops) {
  const int64_t n = 20;
  const at::Tensor x = two_views(n, 6, 5);
  const auto neighbours = [&](int64_t i, int64_t first) {
    std::vector<std::pair<double, int64_t>> order;
    for (int64_t j = 0; j < n; ++j) {
      if (j != i) order.emplace_back(euclidean(x, first + i, first + j), j);
    }
    std::sort(order.begin(), order.end());
    std::set<int64_t> nearest;
    for (size_t k = 0; k < 8; ++k) nearest.insert(order[k].second);
    return nearest;
  };
  double expected = 0;
  for (int64_t i = 0; i < n; ++i) {
    std::set<int64_t> chosen = neighbours(i, 0);
    chosen.merge(neighbours(i, n));
    double sum = 0;
    for (const int64_t j : chosen) sum += std::pow(euclidean(x, i, j) - euclidean(x, n + i, n + j), 2);
    expected += std::sqrt(sum) / static_cast<double>(n);
  }
  EXPECT_NEAR((*make_sos())({x}).item<double>(), expected, 1e-7);
  expect_gradient(*make_sos(), x);
}

TEST(Sos, IsNothingWherePositivesLieAsAnchorsDo) {
  const at::Tensor anchors = two_views(12, 6, 7).narrow(0, 0, 12);
  const at::Tensor turned = anchors.mm(std::get<0>(at::linalg_qr(at::randn({6, 6}, at::kDouble))));
  EXPECT_NEAR((*make_sos())({at::cat({anchors, turned})}).item<double>(), 0, 1e-4) << "turned as a whole";
}

TEST(Terms, NeverNan) {
  for (const std::string& name : term_names()) {
    LossOptions options;
    options.terms = {{name, 1}};
    const at::Tensor u = two_views(1, 8, 5).narrow(0, 0, 1).to(at::kFloat);
    at::Tensor x = at::cat({u, u, at::zeros({1, 8}), -u, u, -u, at::zeros({2, 8})}).requires_grad_(true);
    const LossOutput out = (*make_loss(options))({x});
    (out.per_pair.mean() + out.batch_term).backward();
    EXPECT_TRUE(at::isfinite(out.batch_term).all().item<bool>()) << name;
    EXPECT_TRUE(at::isfinite(x.grad()).all().item<bool>()) << name;
  }
}

TEST(Terms, AreAddedWithTheirFactorsAndLeaveThePairsAlone) {
  const at::Tensor x = two_views(9, 6, 11);
  LossOptions options;
  const at::Tensor alone = (*make_loss(options))({x}).per_pair;
  EXPECT_FALSE((*make_loss(options))({x}).batch_term.defined());
  options.terms = parse_terms("gor=0.5,sos=2");
  const LossOutput out = (*make_loss(options))({x});
  EXPECT_TRUE(out.per_pair.equal(alone));
  EXPECT_NEAR(out.batch_term.item<double>(),
              0.5 * (*make_gor())({x}).item<double>() + 2 * (*make_sos())({x}).item<double>(), 1e-12);
}

TEST(Terms, TextThereAndBackAndWhatIsRefused) {
  EXPECT_EQ(to_string(parse_terms("gor,sos=0.5")), "gor=1,sos=0.5");
  EXPECT_EQ(to_string(parse_terms("none")), "none");
  EXPECT_EQ(to_string(parse_terms("")), "none");
  const auto refused = [](const std::string& text, const std::string& part) {
    testing::expect_error(
        [&] {
          LossOptions options;
          options.terms = parse_terms(text);
          options.validate();
        },
        part);
  };
  refused("gro=1", "'gro' is none of gor, sos");
  refused("gor=much", "'much' is no number");
  refused("gor=", "'' is no number");
  refused("gor=-1", "gor = -1");
  refused("gor=nan", "gor = nan");
  refused("gor=1,gor=2", "gor stands there twice");
}

}  // namespace
}  // namespace adasample
