// SPDX-License-Identifier: Apache-2.0
// HPatches verification: do two patches show the same spot? A million matching pairs, ranked by distance among a
// million of one image or sequence (intra) or of any two (inter). Negatives stand first in the list, so that ties count
// against the descriptor.
#pragma once

#include <array>
#include <vector>

#include "adasample/eval/hpatches/descriptor_set.h"
#include "adasample/eval/hpatches/lists/hpatches_lists.h"
#include "adasample/eval/hpatches/task_score.h"
#include "adasample/features/match/norm.h"

namespace adasample {

inline constexpr std::array kVerificationKinds = {"inter", "intra"};  // of negatives

// [level][kind of negatives]. Average precision of the imbalanced list: all negatives and the first fifth of the
// positives; the area under the ROC curve of the balanced one: all pairs.
using VerificationScores = std::array<std::array<TaskScore, kVerificationKinds.size()>, kHpatchesLevels.size()>;

struct VerificationResult {
  VerificationScores scores;
  // A sequence: the rows that begin with one of its patches, scored as above. Not a number where a sequence has no
  // positive among the first fifth of the rows.
  std::vector<VerificationScores> sequences;
};

// The benchmark's headline: the mean of the six average precisions; and of the areas likewise.
TaskScore mean_of(const VerificationScores& scores);

// Ctrl-C throws Error.
VerificationResult evaluate_verification(const DescriptorSet& set, const VerificationLists& lists, Norm norm);

}  // namespace adasample
