// SPDX-License-Identifier: Apache-2.0
// Pairs of descriptors that are each other's nearest neighbours, by Euclidean distance
// (features/match/mutual_search.h).
#pragma once

#include <span>
#include <vector>

#include "adasample/features/match_pictures.h"

namespace adasample {

// Pairs (i, j) such that j is the nearest of b to a_i, and i the nearest of a to b_j, the first
// of several; in the order of i. None when a side is empty.
std::vector<Match> mutual_matches(std::span<const float> a, std::span<const float> b, int dimension);

// mutual_matches(), rated. `chunks`: pieces that the work is shared out in, 0: as many as threads; 1 is for those who
// match several pairs at once.
std::vector<RatedMatch> rated_matches(std::span<const float> a, std::span<const float> b, int dimension,
                                      int chunks = 0);

}  // namespace adasample
