// SPDX-License-Identifier: Apache-2.0
// HPatches verification: do two patches show the same spot? A million matching pairs, ranked by distance among a
// million of one image or sequence (intra) or of any two (inter). Negatives stand first in the list, so that ties count
// against the descriptor.
#pragma once

#include <array>
#include <vector>

#include "adasample/eval/descriptor_set.h"
#include "adasample/eval/hpatches_lists.h"
#include "adasample/eval/metric.h"

namespace adasample {

inline constexpr std::array kVerificationKinds = {"inter", "intra"};  // of negatives

struct VerificationScore {
  double auc = 0;        // balanced: all pairs, area under the ROC curve
  double trapezoid = 0;  // imbalanced: all negatives and the first fifth of the positives, average precision
  double step = 0;
};

using VerificationScores = std::array<std::array<VerificationScore, 2>, 3>;  // [level][kind of negatives]

struct VerificationResult {
  VerificationScores scores;
  // A sequence: the rows that begin with one of its patches, scored as above. Not a number where a sequence has no
  // positive among the first fifth of the rows.
  std::vector<VerificationScores> sequences;
};

// The benchmark's headline: the mean of the six average precisions; and the others likewise.
VerificationScore mean_score(const VerificationScores& scores);

// Ctrl-C throws Error.
VerificationResult evaluate_verification(const DescriptorSet& set, const VerificationLists& lists, Metric metric);

}  // namespace adasample
