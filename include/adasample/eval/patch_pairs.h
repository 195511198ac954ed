// SPDX-License-Identifier: Apache-2.0
// Verification on a patch store: pairs of patches are drawn, described and ranked by distance or by a learned
// metric.
#pragma once

#include <cstdint>
#include <string>

#include "adasample/data/labelled_pairs.h"
#include "adasample/data/patch_store.h"
#include "adasample/eval/pair_scores.h"
#include "adasample/model/descriptor.h"

namespace adasample {

struct PairOptions {
  int64_t pairs = 20000;  // of each kind: as many positives as negatives
  uint64_t seed = 1;
  // "euclidean", "learned" (the descriptor's own metric), or "auto": the latter where there is one. Of
  // evaluate_patches().
  std::string metric = "auto";

  void validate() const;
};

// A positive: a class drawn uniformly and two distinct patches of it. A negative: two distinct classes and a patch of
// each. Every pair is a function of seed, kind and its number; asking for more pairs keeps the first ones.
// Negatives come first, so that ties, ranked in this order, count against the descriptor.
PatchPairs draw_pairs(const PatchStore& store, const PairOptions& options);

// Draws the pairs, describes their patches and scores the distances; `seconds` receives the time spent describing.
// Throws Error for a learned metric asked of a descriptor that has none.
PairScores evaluate_patches(const PatchStore& store, Descriptor& descriptor, const PairOptions& options,
                            double* seconds = nullptr);

}  // namespace adasample
