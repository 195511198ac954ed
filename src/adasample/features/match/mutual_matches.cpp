// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/match/mutual_matches.h"

#include "adasample/base/error.h"
#include "adasample/features/match/mutual_search.h"

namespace adasample {
namespace {

double ratio_of(double distance, double next) {
  if (next == 0) return 1;  // two at distance 0
  return distance / next;
}

}  // namespace

std::vector<Match> mutual_matches(std::span<const float> a, std::span<const float> b, int dimension) {
  if (a.empty() || b.empty()) return {};
  std::vector<Match> matches;
  for (const MutualPair& pair : search_mutual(a, b, dimension)) matches.push_back({pair.first, pair.second});
  return matches;
}

std::vector<RatedMatch> rated_matches(std::span<const float> a, std::span<const float> b, int dimension, int chunks) {
  if (a.empty() || b.empty()) return {};
  std::vector<RatedMatch> matches;
  for (const MutualPair& pair : search_mutual(a, b, dimension, chunks)) {
    matches.push_back(
        {.match = {pair.first, pair.second}, .distance = pair.distance, .ratio = ratio_of(pair.distance, pair.next)});
  }
  return matches;
}

void MatchLimits::validate() const {
  ADA_USAGE(ratio > 0 && ratio <= 1, "MatchLimits::ratio = {}, must be in (0, 1]", ratio);
  ADA_USAGE(max_distance > 0, "MatchLimits::max_distance = {}, must be > 0", max_distance);
}

}  // namespace adasample
