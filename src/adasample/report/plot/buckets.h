// SPDX-License-Identifier: Apache-2.0
// A series of any length as a few hundred buckets: their means make the curve, their least and greatest values the band
// about it, so that a spike of one iteration in a hundred thousand is still seen.
#pragma once

#include <cstdint>
#include <vector>

#include "adasample/report/run_data.h"

namespace adasample {

inline constexpr int64_t kMostBuckets = 600;

// Bucket i is iterations first + i * width up to, not including, first + (i + 1) * width. All runs of a chart share it.
struct Grid {
  int64_t first = 0, last = 0, width = 1;  // first and last iteration of all
};
Grid make_grid(const std::vector<const Series*>& series, int64_t most = kMostBuckets);

struct Bucket {
  int64_t iteration = 0;               // its first
  double mean = 0, low = 0, high = 0;  // of its finite values; NaN where all are null, which is a gap in the curve
};
// Ascending; iterations of which nothing was recorded make no bucket. Values are clipped to +-kMostFigure.
std::vector<Bucket> bucketed(const Series& series, const Grid& grid);

}  // namespace adasample
