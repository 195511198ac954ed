// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/pair_scores.h"

#include <vector>

#include "adasample/eval/scores/average_precision.h"

namespace adasample {

PairScores score_pairs(std::span<const uint8_t> labels, std::span<const double> distances) {
  const FprAtRecall fpr95 = fpr_at_recall(labels, distances);
  std::vector<double> scores(distances.size());
  for (size_t i = 0; i < scores.size(); ++i) scores[i] = -distances[i];
  const RankedCurve curve = ranked_curve(labels, scores);
  return {.fpr95 = fpr95,
          .fpr99 = fpr_at_recall(labels, distances, 0.99),
          .ap = average_precision_step(curve),
          .ap_trapezoid = average_precision_trapezoid(curve),
          .auc = roc_auc_tie_averaged(labels, scores),
          .positives = fpr95.positives,
          .negatives = fpr95.negatives};
}

}  // namespace adasample
