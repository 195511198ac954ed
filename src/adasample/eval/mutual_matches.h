// SPDX-License-Identifier: Apache-2.0
// Pairs of descriptors that are each other's nearest neighbours, by Euclidean distance (eval/nearest_rows.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace adasample {

struct Match {
  int64_t first = 0, second = 0;

  bool operator==(const Match&) const = default;
};

// Pairs (i, j) such that j is the nearest of b to a_i, and i the nearest of a to b_j, the first
// of several; in the order of i. None when a side is empty.
std::vector<Match> mutual_matches(std::span<const float> a, std::span<const float> b, int dimension);

}  // namespace adasample
