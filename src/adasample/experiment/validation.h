// SPDX-License-Identifier: Apache-2.0
// What `train --val` measures: a score that resolves small differences, to choose the best weights by, and curves for
// the report. Pairs are drawn once and stay the same for every evaluation and every run on the store.
#pragma once

#include <string>

#include "adasample/eval/scores/dense_fpr.h"
#include "adasample/experiment/heldout_pairs.h"

namespace adasample {

// What the score is; kept with a run, so that scores of two definitions are never compared. Change it with the score.
inline constexpr const char* kValidationScore = "FPR95 of 5000 positives at most, all their cross pairs as negatives";
// Of a network with a metric of its own, which takes pairs one by one.
inline constexpr const char* kMetricValidationScore =
    "FPR95 of 5000 positives at most, 8 of their cross pairs each as negatives";
static_assert(kMetricNegatives == 8);

class Validation {
 public:
  // The store must outlive the object.
  explicit Validation(const PatchStore& store)
      : store_(store),
        positives_(draw_positives(store, kPairs, kSeed)),
        pairs_(store, PairOptions{.pairs = kPairs, .seed = kSeed}) {}

  double score(Descriptor& descriptor) const;
  // curves.json of a run: of as many negatives as positives.
  std::string curves(Descriptor& descriptor) const { return pairs_.score(descriptor, "validation").curves; }

 private:
  static constexpr int64_t kPairs = 5000;
  static constexpr uint64_t kSeed = 1;

  const PatchStore& store_;
  PositivePairs positives_;
  HeldoutPairs pairs_;
};

}  // namespace adasample
