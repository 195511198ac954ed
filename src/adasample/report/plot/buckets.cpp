// SPDX-License-Identifier: Apache-2.0
#include "adasample/report/plot/buckets.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "adasample/report/plot/scale.h"

namespace adasample {

Grid make_grid(const std::vector<const Series*>& series, int64_t most) {
  int64_t first = INT64_MAX, last = -1;
  for (const Series* s : series) {
    if (s->iterations.empty()) continue;
    first = std::min(first, s->iterations.front());
    last = std::max(last, s->iterations.back());
  }
  if (last < 0) return {};
  return {first, last, (last - first) / most + 1};
}

std::vector<Bucket> bucketed(const Series& series, const Grid& grid) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  std::vector<Bucket> buckets;
  int64_t finite = 0;  // in the last bucket
  for (size_t i = 0; i < series.values.size(); ++i) {
    const int64_t start = series.iterations[i] - (series.iterations[i] - grid.first) % grid.width;
    if (buckets.empty() || buckets.back().iteration != start) {
      buckets.push_back({start, kNan, kNan, kNan});
      finite = 0;
    }
    if (!std::isfinite(series.values[i])) continue;
    const double value = std::clamp(series.values[i], -kMostFigure, kMostFigure);
    Bucket& bucket = buckets.back();
    if (finite == 0) bucket = {start, value, value, value};
    bucket.mean += (value - bucket.mean) / static_cast<double>(++finite);
    bucket.low = std::min(bucket.low, value);
    bucket.high = std::max(bucket.high, value);
  }
  return buckets;
}

}  // namespace adasample
