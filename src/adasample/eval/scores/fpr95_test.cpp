// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/fpr95.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "adasample/base/random/rng.h"
#include "adasample/eval/scores/pairs_csv.h"
#include "tests/support/expect_error.h"
#include "tests/support/golden.h"

namespace adasample {
namespace {

using testing::expect_error;
using testing::golden;

FprAtRecall fpr(const std::vector<uint8_t>& labels, const std::vector<double>& distances, double recall = 0.95) {
  return fpr_at_recall(labels, distances, recall);
}

TEST(Fpr95, Golden) {
  int cases = 0;
  const nlohmann::json expected = golden("fpr95/expected.json");
  for (const auto& [name, figures] : expected.items()) {
    if (name == "_note") continue;
    SCOPED_TRACE(name);
    ++cases;
    const LabelledDistances pairs =
        read_pairs_csv(std::string(ADASAMPLE_SOURCE_DIR) + "/tests/golden/fpr95/cases/" + name + ".csv");
    const FprAtRecall found = fpr_at_recall(pairs.labels, pairs.distances);
    EXPECT_EQ(found.positives, figures.at("n_pos").get<int64_t>());
    EXPECT_EQ(found.negatives, figures.at("n_neg").get<int64_t>());
    EXPECT_NEAR(found.value, figures.at("own_ref_ties_by_index").get<double>(), 1e-9);
    EXPECT_NEAR(found.low, figures.at("own_ref_ties_pos_first").get<double>(), 1e-9);
    EXPECT_NEAR(found.high, figures.at("own_ref_ties_neg_first").get<double>(), 1e-9);
    EXPECT_NEAR(found.high, figures.at("sklearn_roc_first_point_tpr_ge_0.95").get<double>(), 1e-9);

    // The official code sorts without stability: with ties it may return anything between the bounds.
    const auto expect_within = [&](const char* figure, const FprAtRecall& bounds) {
      EXPECT_GE(figures.at(figure).get<double>(), bounds.low - 1e-9) << figure;
      EXPECT_LE(figures.at(figure).get<double>(), bounds.high + 1e-9) << figure;
    };
    expect_within("hardnet_official", found);
    expect_within("hardnet_multidataset_at_0.95", found);
    expect_within("hardnet_multidataset_default_0.99", fpr_at_recall(pairs.labels, pairs.distances, 0.99));
  }
  EXPECT_EQ(cases, 9);
}

// The definition, word for word: sort, find k, count the negatives before it. Ties in the order of `first`.
template <typename First>
double by_sorting(const std::vector<uint8_t>& labels, const std::vector<double>& distances, double recall,
                  const First& first) {
  std::vector<size_t> order(labels.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return distances[a] != distances[b] ? distances[a] < distances[b] : first(a) < first(b);
  });
  const auto positives = static_cast<double>(std::count(labels.begin(), labels.end(), 1));
  double seen = 0, negatives = 0;
  for (const size_t i : order) {
    ++(labels[i] == 1 ? seen : negatives);
    if (seen >= recall * positives) break;
  }
  return negatives / (static_cast<double>(labels.size()) - positives);
}

TEST(Fpr95, EqualsTheDefinitionOnRandomTies) {
  RngStream stream(RngKey(3, Draw::kPairs));
  for (int round = 0; round < 2000; ++round) {
    const int64_t size = 2 + stream.index(60);
    std::vector<uint8_t> labels = {1, 0};
    std::vector<double> distances = {1, 1};
    while (static_cast<int64_t>(labels.size()) < size) {
      labels.push_back(static_cast<uint8_t>(stream.index(2)));
      distances.push_back(static_cast<double>(stream.index(8)));
    }
    const double recall = stream.uniform(0.01, 1.0);
    const FprAtRecall found = fpr(labels, distances, recall);
    const auto sorted = [&](const auto& first) { return by_sorting(labels, distances, recall, first); };
    ASSERT_DOUBLE_EQ(found.value, sorted([](size_t i) { return i; }));
    ASSERT_DOUBLE_EQ(found.low, sorted([&](size_t i) { return -int{labels[i]}; }));
    ASSERT_DOUBLE_EQ(found.high, sorted([&](size_t i) { return int{labels[i]}; }));
  }
}

TEST(Fpr95, TheDecidingPositiveIsNotAFalsePositive) {
  EXPECT_EQ(fpr({1, 0}, {1, 2}).value, 0.0);
  EXPECT_EQ(fpr({0, 1}, {1, 2}).value, 1.0);
  EXPECT_EQ(fpr({1, 0, 1, 0}, {1, 2, 3, 4}, 0.5).value, 0.0);
  EXPECT_EQ(fpr({1, 0, 1, 0}, {1, 2, 3, 4}, 1.0).value, 0.5);
}

TEST(Fpr95, InfiniteDistancesRankLast) { EXPECT_EQ(fpr({1, 0, 0}, {INFINITY, 1, INFINITY}).low, 0.5); }

TEST(Fpr95, RefusesWhatHasNoAnswer) {
  expect_error([] { fpr({1, 1}, {1, 2}); }, "no negative");
  expect_error([] { fpr({0}, {1}); }, "no positive");
  expect_error([] { fpr({}, {}); }, "no positive");
  expect_error([] { fpr({1, 0}, {1, NAN}); }, "pair 1", "not a number");
  expect_error([] { fpr({1, 0}, {1, 2}, 0.0); }, "recall = 0");
  expect_error([] { fpr({1, 0}, {1, 2}, 1.5); }, "recall = 1.5");
}

}  // namespace
}  // namespace adasample
