// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/scores/average_precision.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/expect_error.h"
#include "tests/support/golden.h"

namespace adasample {
namespace {

using testing::expect_error;
using testing::golden;

void expect_list(const std::vector<double>& found, const nlohmann::json& expected, const char* name) {
  ASSERT_EQ(found.size(), expected.size()) << name;
  for (size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i].get<double>(), 1e-9) << name << " " << i;
}

std::vector<double> read_scores(const nlohmann::json& list) {
  std::vector<double> scores;
  for (const nlohmann::json& value : list) scores.push_back(value.is_number() ? value.get<double>() : -INFINITY);
  return scores;
}

TEST(AveragePrecision, Golden) {
  const nlohmann::json expected = golden("ap/expected.json");
  EXPECT_EQ(expected.size(), 16u);
  for (const auto& [name, figures] : expected.items()) {
    SCOPED_TRACE(name);
    const auto labels = figures.at("labels").get<std::vector<uint8_t>>();
    const std::vector<double> scores = read_scores(figures.at("scores"));
    std::optional<int64_t> positives;
    if (!figures.at("numpos").is_null()) positives = figures.at("numpos").get<int64_t>();

    const RankedCurve curve = ranked_curve(labels, scores, positives);
    const nlohmann::json& official = figures.at("official");
    EXPECT_EQ(rank_by_score(scores), official.at("perm").get<std::vector<int64_t>>());
    expect_list(curve.precision, official.at("precision"), "precision");
    expect_list(curve.recall, official.at("recall"), "recall");
    expect_list(curve.recall, official.at("tpr"), "tpr");
    expect_list(curve.fall_out, official.at("fpr"), "fpr");
    EXPECT_NEAR(average_precision_trapezoid(curve), official.at("ap_trapz").get<double>(), 1e-9);
    EXPECT_NEAR(average_precision_trapezoid(curve), figures.at("vl_pr_auc").get<double>(), 1e-9);
    EXPECT_NEAR(average_precision_step(curve), figures.at("vl_pr_ap").get<double>(), 1e-9);
    EXPECT_NEAR(roc_auc(curve), official.at("roc_auc_trapz").get<double>(), 1e-9);

    const int64_t listed = std::count(labels.begin(), labels.end(), 1);
    RankedAreas areas(positives.value_or(listed), std::ssize(labels) - listed);
    for (const int64_t item : rank_by_score(scores)) {
      labels[static_cast<size_t>(item)] != 0 ? areas.positive() : areas.negatives(1);
    }
    EXPECT_NEAR(areas.trapezoid(), official.at("ap_trapz").get<double>(), 1e-9);
    EXPECT_NEAR(areas.step(), figures.at("vl_pr_ap").get<double>(), 1e-9);
    EXPECT_NEAR(areas.auc(), official.at("roc_auc_trapz").get<double>(), 1e-9);

    if (figures.contains("sklearn_roc_auc")) {
      EXPECT_NEAR(roc_auc_tie_averaged(labels, scores), figures["sklearn_roc_auc"].get<double>(), 1e-9);
    }
    if (figures.contains("sklearn_average_precision")) {
      EXPECT_NEAR(average_precision_ties_together(labels, scores), figures["sklearn_average_precision"].get<double>(),
                  1e-9);
    }
  }
}

TEST(AveragePrecision, NothingRetrieved) {
  const RankedCurve curve = ranked_curve({}, {}, 3);
  EXPECT_EQ(average_precision_step(curve), 0.0);
  EXPECT_EQ(average_precision_trapezoid(curve), 0.0);
  EXPECT_EQ(roc_auc(curve), 0.0);
}

TEST(AveragePrecision, TiesTogether) {
  // Two items of the best score, one right: precision 1/2 at recall 1/2, then 2/3 at recall 1.
  for (const auto& labels : {std::vector<uint8_t>{1, 0, 1}, std::vector<uint8_t>{0, 1, 1}}) {
    EXPECT_DOUBLE_EQ(average_precision_ties_together(labels, std::vector<double>{2, 2, 1}), 0.25 + 1.0 / 3);
  }
  EXPECT_EQ(average_precision_ties_together(std::vector<uint8_t>{0, 0}, std::vector<double>{2, 1}), 0);
}

TEST(AveragePrecision, TieAveragedAucDoesNotDependOnTheOrder) {
  const std::vector<double> scores = {1, 1, 1, 2, 0};
  EXPECT_DOUBLE_EQ(roc_auc_tie_averaged(std::vector<uint8_t>{1, 0, 0, 1, 0}, scores),
                   roc_auc_tie_averaged(std::vector<uint8_t>{0, 0, 1, 1, 0}, scores));
  EXPECT_EQ(roc_auc_tie_averaged(std::vector<uint8_t>{1, 0, 1, 0}, std::vector<double>(4, 0.5)), 0.5);
}

TEST(AveragePrecision, RefusesWhatHasNoAnswer) {
  const std::vector<double> scores = {1, NAN};
  expect_error([&] { rank_by_score(scores); }, "item 1", "not a number");
  expect_error([&] { roc_auc_tie_averaged(std::vector<uint8_t>{1, 0}, scores); }, "item 1", "not a number");
  expect_error([] { roc_auc_tie_averaged(std::vector<uint8_t>{1}, std::vector<double>{1}); },
               "1 positives and 0 negatives");
}

}  // namespace
}  // namespace adasample
