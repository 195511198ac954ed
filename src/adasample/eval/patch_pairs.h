// SPDX-License-Identifier: Apache-2.0
// Verification on a patch store: pairs of patches are drawn, described and ranked by distance.
#pragma once

#include <cstdint>
#include <vector>

#include "adasample/data/patch_store.h"
#include "adasample/eval/pair_scores.h"
#include "adasample/model/descriptor.h"

namespace adasample {

struct PairOptions {
  int64_t pairs = 20000;  // of each kind: as many positives as negatives
  uint64_t seed = 1;

  void validate() const;
};

// Pair i is the patches first[i] and second[i] of the store. Negatives come first, so that ties, ranked in this order,
// count against the descriptor.
struct PatchPairs {
  std::vector<int64_t> first, second;
  std::vector<uint8_t> labels;
};

// A positive: a class drawn uniformly and two distinct patches of it. A negative: two distinct classes and a patch of
// each. Every pair is a function of seed, kind and its number; asking for more pairs keeps the first ones.
PatchPairs draw_pairs(const PatchStore& store, const PairOptions& options);

// Describes every patch that occurs in the drawn pairs once; distances are Euclidean, in float32.
// `seconds`, when given, receives the time spent in describe().
PairScores evaluate_patches(const PatchStore& store, Descriptor& descriptor, const PairOptions& options,
                            double* seconds = nullptr);

}  // namespace adasample
