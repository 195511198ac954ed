// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/scores/pair_curves.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "adasample/eval/pair_scores.h"
#include "adasample/eval/scores/average_precision.h"

namespace adasample {
namespace {

// Keeps a point where `bucket` of it changes, and the last one.
template <typename Bucket>
std::vector<std::pair<double, double>> thin(const std::vector<double>& x, const std::vector<double>& y, Bucket bucket) {
  std::vector<std::pair<double, double>> kept;
  for (size_t i = 0; i < x.size(); ++i) {
    if (i == 0 || i + 1 == x.size() || bucket(x[i]) != bucket(x[i - 1])) kept.emplace_back(x[i], y[i]);
  }
  return kept;
}

}  // namespace

PairCurves pair_curves(std::span<const uint8_t> labels, std::span<const double> distances, int points) {
  std::vector<double> scores(distances.begin(), distances.end());
  for (double& score : scores) score = -score;
  const RankedCurve curve = ranked_curve(labels, scores);
  constexpr double kLowest = 1e-6;
  return {thin(curve.fall_out, curve.recall,
               [&](double x) { return std::floor(points * std::log10(std::max(x, kLowest)) / std::log10(kLowest)); }),
          thin(curve.recall, curve.precision, [&](double x) { return std::floor(points * x); })};
}

nlohmann::ordered_json curves_json(const std::string& name, std::span<const uint8_t> labels,
                                   std::span<const double> distances) {
  const PairScores scores = score_pairs(labels, distances);
  const PairCurves curves = pair_curves(labels, distances);
  return {{"name", name},      {"fpr95", scores.fpr95.value}, {"ap", scores.ap},
          {"auc", scores.auc}, {"roc", curves.roc},           {"pr", curves.pr}};
}

}  // namespace adasample
