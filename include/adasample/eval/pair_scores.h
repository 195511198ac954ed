// SPDX-License-Identifier: Apache-2.0
// The figures of a verification task: which of many pairs of patches show the same point?
#pragma once

#include <cstdint>
#include <span>

#include "adasample/eval/fpr95.h"

namespace adasample {

struct PairScores {
  FprAtRecall fpr95;
  FprAtRecall fpr99;        // at 99 % recall: some published programs print this as "FPR95"
  double ap = 0;            // average precision, step
  double ap_trapezoid = 0;  // average precision, trapezoid
  double auc = 0;           // area under the ROC curve, ties averaged
  int64_t positives = 0, negatives = 0;
};

// `labels` are 1 for a pair that shows the same point, else 0. Average precision ranks ties in input order.
// Throws Error without positives, without negatives and for a distance that is not a number.
PairScores score_pairs(std::span<const uint8_t> labels, std::span<const double> distances);

}  // namespace adasample
