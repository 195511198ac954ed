// SPDX-License-Identifier: Apache-2.0
// Areas under precision-recall and ROC curves, as the HPatches benchmark defines them: items are ranked by decreasing
// score, ties keep their input order, and each ranked item is one step of the curve. An item of score -inf is never
// retrieved. Two figures go by the name "AP"; both are here:
//   step       sum of precision_i * (recall_i - recall_{i-1}): VLFeat's and TREC's AP, mean precision at each positive
//   trapezoid  sum of (precision_i + precision_{i-1}) / 2 * (recall_i - recall_{i-1}): what the HPatches python prints
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace adasample {

// Indices of the items by decreasing score, stable, without those of score -inf. Throws Error for a NaN.
std::vector<int64_t> rank_by_score(std::span<const double> scores);

// One point before the first item (recall 0, precision 1, fall-out 0) and one after each.
struct RankedCurve {
  std::vector<double> recall;     // true positives / positives
  std::vector<double> precision;  // true positives / retrieved
  std::vector<double> fall_out;   // false positives / negatives
};

// `positives`, when given, is their number including those that are not in the list (and so are never retrieved).
RankedCurve ranked_curve(std::span<const uint8_t> labels, std::span<const double> scores,
                         std::optional<int64_t> positives = std::nullopt);

double average_precision_step(const RankedCurve& curve);
double average_precision_trapezoid(const RankedCurve& curve);
double roc_auc(const RankedCurve& curve);

// The step figure as scikit-learn defines it: items of equal score are retrieved together, so that their input order
// does not matter. 0 without positives. Throws Error for a NaN.
double average_precision_ties_together(std::span<const uint8_t> labels, std::span<const double> scores);

// The same areas from one walk down a ranked list, without keeping the curve: for lists of a million items, or of many
// negatives and few positives.
class RankedAreas {
 public:
  // `positives` and `negatives` are the numbers the list has in all.
  RankedAreas(int64_t positives, int64_t negatives);

  void positive();
  void negatives(int64_t run);  // a run of them

  double step() const { return step_; }
  double trapezoid() const { return trapezoid_; }
  double auc() const { return auc_; }

 private:
  double all_positives_, all_negatives_;
  double right_ = 0, wrong_ = 0, step_ = 0, trapezoid_ = 0, auc_ = 0;
};

// The probability that a positive scores above a negative, ties counting half: independent of the input order.
// Throws Error without positives or without negatives.
double roc_auc_tie_averaged(std::span<const uint8_t> labels, std::span<const double> scores);

}  // namespace adasample
