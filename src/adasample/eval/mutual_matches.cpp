// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/mutual_matches.h"

#include <algorithm>

#include "adasample/base/parallel.h"
#include "adasample/eval/nearest_rows.h"

namespace adasample {
namespace {

constexpr size_t kQueries = 32;  // at a time: their sums stay in the cache

// Of each query the nearest row.
std::vector<int64_t> nearest_of(std::span<const float> queries, std::span<const float> rows, int dimension) {
  const NearestRows nearest(Metric::kL2, rows, dimension);
  const auto width = static_cast<size_t>(dimension), all = queries.size() / width;
  std::vector<int64_t> found(all);
  parallel_for(static_cast<int64_t>((all + kQueries - 1) / kQueries), [&](int64_t block) {
    const size_t first = static_cast<size_t>(block) * kQueries, count = std::min(kQueries, all - first);
    size_t query = first;
    for (const auto& one : nearest.find(queries.subspan(first * width, count * width))) found[query++] = one.row;
  });
  return found;
}

}  // namespace

std::vector<Match> mutual_matches(std::span<const float> a, std::span<const float> b, int dimension) {
  if (a.empty() || b.empty()) return {};
  const std::vector<int64_t> of_a = nearest_of(a, b, dimension), of_b = nearest_of(b, a, dimension);
  std::vector<Match> matches;
  for (size_t i = 0; i < of_a.size(); ++i) {
    const int64_t j = of_a[i];
    if (of_b[static_cast<size_t>(j)] == static_cast<int64_t>(i)) matches.push_back({static_cast<int64_t>(i), j});
  }
  return matches;
}

}  // namespace adasample
