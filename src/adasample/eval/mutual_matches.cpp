// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/mutual_matches.h"

#include <algorithm>

#include "adasample/base/error.h"
#include "adasample/base/parallel.h"
#include "adasample/eval/nearest_rows.h"

namespace adasample {
namespace {

constexpr size_t kQueries = 32;  // at a time: their sums stay in the cache

// What `find` of NearestRows says of each query.
template <typename Found>
std::vector<Found> all_nearest(std::span<const float> queries, std::span<const float> rows, int dimension,
                               std::vector<Found> (NearestRows::*find)(std::span<const float>) const) {
  const NearestRows nearest(Metric::kL2, rows, dimension);
  const auto width = static_cast<size_t>(dimension), all = queries.size() / width;
  std::vector<Found> found(all);
  parallel_for(static_cast<int64_t>((all + kQueries - 1) / kQueries), [&](int64_t block) {
    const size_t first = static_cast<size_t>(block) * kQueries, count = std::min(kQueries, all - first);
    const auto some = (nearest.*find)(queries.subspan(first * width, count * width));
    std::copy(some.begin(), some.end(), found.begin() + static_cast<std::ptrdiff_t>(first));
  });
  return found;
}

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
