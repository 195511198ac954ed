// SPDX-License-Identifier: Apache-2.0
// Pairs of patches, by index, and whether they show the same point: what a verification protocol asks about.
#pragma once

#include <cstdint>
#include <vector>

namespace adasample {

// Pair i is the patches first[i] and second[i]; labels[i] is 1 when they show the same point, else 0. Distances that
// tie are ranked in this order.
struct PatchPairs {
  std::vector<int64_t> first, second;
  std::vector<uint8_t> labels;

  void add(int64_t a, int64_t b, bool same) {
    first.push_back(a);
    second.push_back(b);
    labels.push_back(same ? 1 : 0);
  }
};

}  // namespace adasample
