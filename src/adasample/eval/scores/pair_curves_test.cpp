// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/scores/pair_curves.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "adasample/base/random/rng.h"
#include "adasample/eval/pair_scores.h"

namespace adasample {
namespace {

TEST(PairCurves, GoFromEndToEndThroughTheFigures) {
  RngStream rng(RngKey(1, Draw::kPairs));
  std::vector<uint8_t> labels;
  std::vector<double> distances;
  for (int i = 0; i < 20000; ++i) {
    labels.push_back(i % 2);
    distances.push_back(rng.uniform() + (i % 2 ? 0 : 0.4));
  }
  const PairCurves curves = pair_curves(labels, distances, 100);
  for (const auto* curve : {&curves.roc, &curves.pr}) {
    EXPECT_GT(curve->size(), 50u);
    EXPECT_LT(curve->size(), 120u);
    EXPECT_TRUE(std::is_sorted(curve->begin(), curve->end(), [](auto a, auto b) { return a.first < b.first; }));
    EXPECT_EQ(curve->front().first, 0);
    EXPECT_EQ(curve->back().first, 1);
  }
  EXPECT_EQ(curves.roc.back().second, 1);
  EXPECT_EQ(curves.pr.back().second, 0.5) << "all accepted: the share of the positives";
  // At recall 0.95 the ROC passes through FPR95, up to the spacing of its points.
  const double fpr95 = score_pairs(labels, distances).fpr95.value;
  const auto at = std::find_if(curves.roc.begin(), curves.roc.end(), [](auto p) { return p.second >= 0.95; });
  EXPECT_NEAR(at->first, fpr95, 0.1 * fpr95);
}

TEST(PairCurves, ATinyListKeepsEveryStep) {
  const std::vector<uint8_t> labels = {1, 0, 1};
  const std::vector<double> distances = {0.1, 0.2, 0.3};
  const PairCurves curves = pair_curves(labels, distances);
  EXPECT_EQ(curves.pr, (std::vector<std::pair<double, double>>{{0, 1}, {0.5, 1}, {1, 2.0 / 3}}));
  const auto json = curves_json("x", labels, distances);
  EXPECT_EQ(json["roc"].size(), curves.roc.size());
  EXPECT_EQ(json["name"].get<std::string>(), "x");
}

}  // namespace
}  // namespace adasample
