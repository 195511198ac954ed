// SPDX-License-Identifier: Apache-2.0
#include "adasample/model/learned_metric.h"

#include <gtest/gtest.h>

#include <cmath>

#include "adasample/base/random/rng.h"
#include "adasample/model/random_weights.h"
#include "tests/support/expect_error.h"

namespace adasample {
namespace {

using testing::expect_error;

// Number `o` of a full connection, in double.
double sum_of(const Weights& weights, const std::string& layer, const std::vector<double>& x, size_t o) {
  double sum = weights.at(layer + ".bias").values[o];
  for (size_t i = 0; i < x.size(); ++i) sum += weights.at(layer + ".weight").values[o * x.size() + i] * x[i];
  return sum;
}

// The same from its last number back, layer by layer, on two rows put together.
double by_formula(const Weights& weights, std::span<const float> a, std::span<const float> b) {
  std::vector<double> x(a.begin(), a.end());
  x.insert(x.end(), b.begin(), b.end());
  for (const char* layer : {"metric.fc1", "metric.fc2"}) {
    std::vector<double> y;
    for (size_t o = 0; o < 512; ++o) y.push_back(std::max(0.0, sum_of(weights, layer, x, o)));
    x = y;
  }
  return sum_of(weights, "metric.fc3", x, 0) - sum_of(weights, "metric.fc3", x, 1);
}

TEST(LearnedMetric, IsThatOfItsFormula) {
  const Weights weights = random_weights(find_network("matchnet"), 3);
  const auto metric = make_learned_metric(weights);
  ASSERT_NE(metric, nullptr);
  constexpr size_t kRows = 3, kWidth = 4096;
  std::vector<float> rows;
  RngStream rng(RngKey(1, Draw::kView));
  for (size_t i = 0; i < kRows * kWidth; ++i) rows.push_back(static_cast<float>(rng.normal()));
  const std::vector<int64_t> first = {0, 1, 2, 2}, second = {1, 0, 2, 0};
  std::vector<double> distances(4);
  metric->measure(rows, first, second, distances);
  const auto row = [&](int64_t i) { return std::span(rows).subspan(static_cast<size_t>(i) * kWidth, kWidth); };
  for (size_t i = 0; i < 4; ++i) {
    const double expected = by_formula(weights, row(first[i]), row(second[i]));
    EXPECT_GT(std::abs(expected), 1e-3);
    EXPECT_NEAR(distances[i], expected, 1e-4 * (1 + std::abs(expected))) << "sums of 8,192 floats";
  }
  EXPECT_GT(std::abs(distances[0] - distances[1]), 1e-3) << "a pair has an order";
}

TEST(LearnedMetric, IsRefusedWhereRowsAreSearched) {
  struct Rows : Descriptor {
    std::string name() const override { return "rows"; }
    int dimension() const override { return 1; }
    void describe(std::span<const uint8_t>, int64_t, int, std::span<float>) override {}
    const PairMetric* metric() const override { return own.get(); }
    std::unique_ptr<PairMetric> own;
  } rows;
  EXPECT_NO_THROW(refuse_learned_metric(rows, "tracks"));
  rows.own = make_learned_metric(random_weights(find_network("matchnet"), 3));
  expect_error([&] { refuse_learned_metric(rows, "tracks"); }, "[tracks] rows", "found a learned metric",
               "eval patches");
}

TEST(LearnedMetric, OnlyOfNetworksThatHaveOne) {
  EXPECT_EQ(make_learned_metric(random_weights(l2net(), 1)), nullptr);
  Weights weights = random_weights(find_network("matchnet"), 1);
  weights.arrays.erase("metric.fc2.weight");
  expect_error([&] { make_learned_metric(weights); }, "metric.fc2.weight", "missing");
  expect_error([&] { weights.check_against(find_network("matchnet")); }, "metric.fc2.weight", "missing");
}

}  // namespace
}  // namespace adasample
