// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/match/mutual_matches.h"

#include <algorithm>

#include "adasample/base/error.h"
#include "adasample/features/match/nearest_rows.h"

namespace adasample {
namespace {

double ratio_of(double distance, double next) {
  if (next == 0) return 1;  // two at distance 0
  return distance / next;
}

}  // namespace

std::vector<Match> mutual_matches(std::span<const float> a, std::span<const float> b, int dimension) {
  if (a.empty() || b.empty()) return {};
  const auto of_a = all_nearest(a, b, dimension, &NearestRows::find);
  const auto of_b = all_nearest(b, a, dimension, &NearestRows::find);
  std::vector<Match> matches;
  for (int64_t i = 0; i < std::ssize(of_a); ++i) {
    const int64_t j = of_a[static_cast<size_t>(i)].row;
    if (of_b[static_cast<size_t>(j)].row == i) matches.push_back({i, j});
  }
  return matches;
}

std::vector<RatedMatch> rated_matches(std::span<const float> a, std::span<const float> b, int dimension) {
  if (a.empty() || b.empty()) return {};
  const auto of_a = all_nearest(a, b, dimension, &NearestRows::find_two);
  const auto of_b = all_nearest(b, a, dimension, &NearestRows::find_two);
  std::vector<RatedMatch> matches;
  for (int64_t i = 0; i < std::ssize(of_a); ++i) {
    const NearestRows::NearestTwo& there = of_a[static_cast<size_t>(i)];
    const NearestRows::NearestTwo& back = of_b[static_cast<size_t>(there.first.row)];
    if (back.first.row != i) continue;
    matches.push_back({.match = {i, there.first.row},
                       .distance = there.first.distance,
                       .ratio = ratio_of(there.first.distance, std::min(there.second.distance, back.second.distance))});
  }
  return matches;
}

void MatchLimits::validate() const {
  ADA_USAGE(ratio > 0 && ratio <= 1, "MatchLimits::ratio = {}, must be in (0, 1]", ratio);
  ADA_USAGE(max_distance > 0, "MatchLimits::max_distance = {}, must be > 0", max_distance);
}

}  // namespace adasample
