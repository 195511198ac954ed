// SPDX-License-Identifier: Apache-2.0
// Every pair of rows that are each other's nearest, and how near the next ones are: what two searches by
// features/match/nearest_rows.h find, to the last bit, from one table of products in bytes.
//
// Rows are rounded to bytes. A product of two rounded rows is off by at most E = |a - a'| |b| + |a'| |b - b'|, whose
// largest value is known before the search begins; so a row whose product falls short of the second best by more than
// 2 E (and what norms differ by) is neither the nearest nor the next. A tile of products (features/match/byte_tiles.h)
// is compared with the limits of its rows and columns while it is in registers; the few that pass are kept, measured
// in float32, where the same argument leaves almost none, and in double, which decides.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "adasample/features/match/byte_tiles.h"

namespace adasample {

struct MutualPair {
  int64_t first = 0, second = 0;  // rows of a and of b
  double distance = 0;            // Euclidean
  double next = 0;                // that of the nearest other partner of either side; infinite where there is none

  bool operator==(const MutualPair&) const = default;
};

// In the order of `first`. a: (n, dimension), b: (m, dimension), one row at least each. None where bytes are too coarse
// for these rows (norms that differ widely), or there is no kernel: `tiles` is null. `chunks`: pieces of work for
// parallel_for; the answer is the same for any.
std::optional<std::vector<MutualPair>> search_by_bytes(std::span<const float> a, std::span<const float> b,
                                                       int dimension, const ByteTiles* tiles, int chunks);

// The same by two searches in float32 and double.
std::vector<MutualPair> search_twice(std::span<const float> a, std::span<const float> b, int dimension);

// On a GPU where there is one (features/match/product_search.h), else by whichever of the two is faster here. chunks 0:
// as many as threads are worth it.
std::vector<MutualPair> search_mutual(std::span<const float> a, std::span<const float> b, int dimension,
                                      int chunks = 0);

}  // namespace adasample
