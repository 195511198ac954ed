// SPDX-License-Identifier: Apache-2.0
// False positive rate at 95 % recall, the measure of the Brown / PhotoTour protocol: accept pairs in the order of their
// distance until at least 95 % of the positives are in; FPR95 = the share of the negatives accepted before the positive
// that reached the mark. Equal distances leave the order open, so the value comes with its two bounds.
#pragma once

#include <cstdint>
#include <span>

namespace adasample {

struct FprAtRecall {
  double value = 0;  // ties in input order
  double low = 0;    // positives first among ties
  double high = 0;   // negatives first among ties
  int64_t positives = 0, negatives = 0;
};

// `labels` are 0 or 1, one for each distance; 0 < recall <= 1. Throws Error without positives, without negatives and
// for a distance that is not a number.
FprAtRecall fpr_at_recall(std::span<const uint8_t> labels, std::span<const double> distances, double recall = 0.95);

}  // namespace adasample
