// SPDX-License-Identifier: Apache-2.0
// Pairs of descriptors that are each other's nearest neighbours, by Euclidean distance (features/match/nearest_rows.h).
#pragma once

#include <cstdint>
#include <limits>
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

// A match and how far it can be trusted.
struct RatedMatch {
  Match match;
  double distance = 0;  // Euclidean
  // Lowe's, in both directions: the distance over that of the next best partner of either side, the nearer one; in
  // [0, 1]. 1 for a tie, 0 where nobody has a second choice.
  double ratio = 0;
};

// mutual_matches(), rated.
std::vector<RatedMatch> rated_matches(std::span<const float> a, std::span<const float> b, int dimension);

// Which matches to keep; the defaults keep all.
struct MatchLimits {
  double ratio = 1;                                               // at most, (0, 1]
  double max_distance = std::numeric_limits<double>::infinity();  // > 0

  void validate() const;
  bool keep(const RatedMatch& match) const { return match.ratio <= ratio && match.distance <= max_distance; }
};

}  // namespace adasample
