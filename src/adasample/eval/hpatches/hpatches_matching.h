// SPDX-License-Identifier: Apache-2.0
// HPatches matching: every patch of the reference is given its nearest neighbour among the patches of another image of
// the sequence; matches are ranked by distance, those that are right count, and all patches were to be found.
#pragma once

#include <array>
#include <vector>

#include "adasample/eval/hpatches/descriptor_set.h"
#include "adasample/eval/hpatches/task_score.h"
#include "adasample/features/match/norm.h"

namespace adasample {

struct MatchingResult {
  std::vector<std::array<std::vector<TaskScore>, 3>> images;  // [sequence][level][image - 1]
  std::vector<std::array<TaskScore, 3>> sequences;            // [sequence][level]: mean over the images
  std::array<TaskScore, 3> levels;                            // mean over sequences and images
  TaskScore mean;                                             // of the three: the benchmark's headline
};

// Distances in double; the first of several nearest neighbours counts. Ctrl-C throws Error.
MatchingResult evaluate_matching(const DescriptorSet& set, Norm norm);

}  // namespace adasample
