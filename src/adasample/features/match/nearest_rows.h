// SPDX-License-Identifier: Apache-2.0
// The nearest row of a query, to the last bit as in a DistanceTable, in a third of the time: sums in float32 leave a
// few rows that can be the nearest, and double decides among them.
//
// Why that is safe: a float32 sum of n terms that are not negative, each rounded a few times, is off by a factor of at
// most 1 +- (n + 4) eps; so a row whose sum exceeds the least by more than four times that is not the nearest, and one
// that exceeds the second least so is not the second nearest.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "adasample/base/parallel.h"
#include "adasample/features/match/norm.h"

namespace adasample {

class NearestRows {
 public:
  // rows: (n, dimension), which must outlive this.
  NearestRows(Norm norm, std::span<const float> rows, int dimension);

  struct Nearest {
    int64_t row = 0;  // the first of several
    double distance = 0;
  };

  struct NearestTwo {
    Nearest first, second;  // second: the next in order; at an infinite distance where there is one row only
  };

  // queries: (m, dimension). Best with some dozens at a time.
  std::vector<Nearest> find(std::span<const float> queries) const;
  std::vector<NearestTwo> find_two(std::span<const float> queries) const;

 private:
  // Calls visit(query, Nearest) for every row that can be one of the `rank` nearest (1 or 2) of a query, in the order
  // of rows.
  template <typename Visit>
  void for_candidates(std::span<const float> queries, size_t rank, const Visit& visit) const;

  Norm norm_;
  std::span<const float> rows_;
  size_t dimension_;
  std::vector<float> panels_;
};

// What `find`, &NearestRows::find or ::find_two, says of every query by the Euclidean distance, on all threads.
template <typename Found>
std::vector<Found> all_nearest(std::span<const float> queries, std::span<const float> rows, int dimension,
                               std::vector<Found> (NearestRows::*find)(std::span<const float>) const) {
  constexpr size_t kQueries = 32;  // at a time: their sums stay in the cache
  const NearestRows nearest(Norm::kL2, rows, dimension);
  const auto width = static_cast<size_t>(dimension), all = queries.size() / width;
  std::vector<Found> found(all);
  parallel_for(static_cast<int64_t>((all + kQueries - 1) / kQueries), [&](int64_t block) {
    const size_t first = static_cast<size_t>(block) * kQueries, count = std::min(kQueries, all - first);
    const auto some = (nearest.*find)(queries.subspan(first * width, count * width));
    std::copy(some.begin(), some.end(), found.begin() + static_cast<std::ptrdiff_t>(first));
  });
  return found;
}

}  // namespace adasample
