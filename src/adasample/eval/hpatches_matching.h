// SPDX-License-Identifier: Apache-2.0
// HPatches matching: every patch of the reference is given its nearest neighbour among the patches of another image of
// the sequence; matches are ranked by distance, those that are right count, and all patches were to be found.
#pragma once

#include <array>
#include <vector>

#include "adasample/eval/descriptor_set.h"
#include "adasample/eval/metric.h"

namespace adasample {

struct MatchingScore {
  double trapezoid = 0;  // average precision
  double step = 0;
  double success = 0;  // share of right matches
};

struct MatchingResult {
  std::vector<std::array<std::vector<MatchingScore>, 3>> images;  // [sequence][level][image - 1]
  std::vector<std::array<MatchingScore, 3>> sequences;            // [sequence][level]: mean over the images
  std::array<MatchingScore, 3> levels;                            // mean over sequences and images
  MatchingScore mean;                                             // of the three: the benchmark's headline
};

// Distances in double; the first of several nearest neighbours counts. Ctrl-C throws Error.
MatchingResult evaluate_matching(const DescriptorSet& set, Metric metric);

}  // namespace adasample
