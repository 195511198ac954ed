// SPDX-License-Identifier: Apache-2.0
// HPatches retrieval: a patch of the reference is to find its counterparts in the other images of its sequence among
// distractors of other sequences. The pool is the counterparts, then the distractors in their order without those of
// the query's own sequence; a pool of size k is its first k entries. Counterparts stand first, so that ties count in
// favour: descriptors that are all alike score 1.
#pragma once

#include <array>
#include <vector>

#include "adasample/eval/hpatches/descriptor_set.h"
#include "adasample/eval/hpatches/lists/hpatches_lists.h"
#include "adasample/eval/hpatches/task_score.h"
#include "adasample/features/match/norm.h"

namespace adasample {

inline constexpr std::array<int64_t, 7> kPoolSizes = {100, 500, 1000, 5000, 10000, 15000, 20000};

using RetrievalScores = std::array<std::array<TaskScore, kPoolSizes.size()>, kHpatchesLevels.size()>;  // [level][pool]

struct RetrievalResult {
  std::vector<RetrievalScores> queries;    // in the order of the list
  std::vector<RetrievalScores> sequences;  // means over the queries of a sequence; not a number where it has none
  RetrievalScores levels;                  // means over all queries
  TaskScore mean;                          // of the three levels at the largest pool: the benchmark's headline
};

// Distances in double. Ctrl-C throws Error.
RetrievalResult evaluate_retrieval(const DescriptorSet& set, const RetrievalLists& lists, Norm norm);

}  // namespace adasample
