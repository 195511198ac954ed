// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/scores/average_precision.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "adasample/base/error.h"

namespace adasample {
namespace {

// The benchmark's guard against 0 / 0; it moves its figures by about 1e-11, so it is part of the definition.
constexpr double kTiny = 1e-10;

void check_no_nan(std::span<const double> scores) {
  for (size_t i = 0; i < scores.size(); ++i) {
    ADA_CHECK(!std::isnan(scores[i]), "[eval] the score of item {} is not a number", i);
  }
}

double trapezoid(const std::vector<double>& x, const std::vector<double>& y) {
  double area = 0;
  for (size_t i = 1; i < x.size(); ++i) area += (x[i] - x[i - 1]) * (y[i] + y[i - 1]) / 2;
  return area;
}

}  // namespace

std::vector<int64_t> rank_by_score(std::span<const double> scores) {
  check_no_nan(scores);
  std::vector<int64_t> order;
  order.reserve(scores.size());
  for (size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] > -std::numeric_limits<double>::infinity()) order.push_back(static_cast<int64_t>(i));
  }
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return scores[static_cast<size_t>(a)] > scores[static_cast<size_t>(b)];
  });
  return order;
}

RankedCurve ranked_curve(std::span<const uint8_t> labels, std::span<const double> scores,
                         std::optional<int64_t> positives) {
  ADA_ASSERT(labels.size() == scores.size());
  const int64_t listed = std::count_if(labels.begin(), labels.end(), [](uint8_t label) { return label != 0; });
  ADA_ASSERT(positives.value_or(listed) >= listed);
  const double all_positives = std::max(static_cast<double>(positives.value_or(listed)), kTiny);
  const double all_negatives = std::max(static_cast<double>(labels.size()) - static_cast<double>(listed), kTiny);

  RankedCurve curve{.recall = {0.0}, .precision = {1.0}, .fall_out = {0.0}};
  double right = 0, wrong = 0;
  for (const int64_t item : rank_by_score(scores)) {
    ++(labels[static_cast<size_t>(item)] != 0 ? right : wrong);
    curve.recall.push_back(right / all_positives);
    curve.precision.push_back(std::max(right, kTiny) / (right + wrong));
    curve.fall_out.push_back(wrong / all_negatives);
  }
  return curve;
}

double average_precision_step(const RankedCurve& curve) {
  double area = 0;
  for (size_t i = 1; i < curve.recall.size(); ++i) {
    area += (curve.recall[i] - curve.recall[i - 1]) * curve.precision[i];
  }
  return area;
}

double average_precision_trapezoid(const RankedCurve& curve) { return trapezoid(curve.recall, curve.precision); }

double roc_auc(const RankedCurve& curve) { return trapezoid(curve.fall_out, curve.recall); }

double average_precision_ties_together(std::span<const uint8_t> labels, std::span<const double> scores) {
  ADA_ASSERT(labels.size() == scores.size());
  const std::vector<int64_t> ranks = rank_by_score(scores);
  const auto positives =
      static_cast<double>(labels.size()) - static_cast<double>(std::count(labels.begin(), labels.end(), uint8_t{0}));
  if (positives == 0) return 0;
  double area = 0, right = 0;
  for (size_t end = 0; end < ranks.size();) {
    const double score = scores[static_cast<size_t>(ranks[end])], before = right;
    for (; end < ranks.size() && scores[static_cast<size_t>(ranks[end])] == score; ++end) {
      right += labels[static_cast<size_t>(ranks[end])] != 0 ? 1 : 0;
    }
    area += right / static_cast<double>(end) * ((right - before) / positives);
  }
  return area;
}

RankedAreas::RankedAreas(int64_t positives, int64_t negatives)
    : all_positives_(std::max(static_cast<double>(positives), kTiny)),
      all_negatives_(std::max(static_cast<double>(negatives), kTiny)) {}

void RankedAreas::positive() {
  const double seen = right_ + wrong_, before = seen > 0 ? std::max(right_, kTiny) / seen : 1.0;
  const double precision = ++right_ / (seen + 1);
  step_ += precision / all_positives_;
  trapezoid_ += (before + precision) / 2 / all_positives_;
}

void RankedAreas::negatives(int64_t run) {
  const auto count = static_cast<double>(run);
  wrong_ += count;
  auc_ += right_ / all_positives_ * (count / all_negatives_);
}

double roc_auc_tie_averaged(std::span<const uint8_t> labels, std::span<const double> scores) {
  ADA_ASSERT(labels.size() == scores.size());
  check_no_nan(scores);
  std::vector<double> positive, negative;
  for (size_t i = 0; i < labels.size(); ++i) (labels[i] != 0 ? positive : negative).push_back(scores[i]);
  ADA_CHECK(!positive.empty() && !negative.empty(), "[eval] {} positives and {} negatives: AUC is not defined",
            positive.size(), negative.size());
  std::sort(negative.begin(), negative.end());
  double won = 0;  // sums of whole and half numbers: exact up to 2^52 pairs
  for (const double score : positive) {
    const auto [below, up_to] = std::equal_range(negative.begin(), negative.end(), score);
    won += static_cast<double>((below - negative.begin()) + (up_to - negative.begin())) / 2;
  }
  return won / (static_cast<double>(positive.size()) * static_cast<double>(negative.size()));
}

}  // namespace adasample
