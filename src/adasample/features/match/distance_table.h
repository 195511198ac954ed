// SPDX-License-Identifier: Apache-2.0
// Distances of every query to every row, bit for bit those of scipy's cdist: differences in double, summed in the order
// of the coordinates, without fused multiply-add. Many pairs are done side by side (features/match/distance_tile.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "adasample/features/match/norm.h"

namespace adasample {

class DistanceTable {
 public:
  // rows: (n, dimension).
  DistanceTable(Norm norm, std::span<const float> rows, int dimension);
  DistanceTable(Norm norm, std::span<const double> rows, int dimension);

  int64_t rows() const { return rows_; }

  // queries: (m, dimension), out: (m, rows()). Best with some dozens of queries at a time: all of them pass over a
  // panel while it is in the cache.
  void distances(std::span<const float> queries, std::span<double> out) const;
  void distances(std::span<const double> queries, std::span<double> out) const;

 private:
  template <typename Real>
  void measure(std::span<const Real> queries, std::span<double> out) const;

  Norm norm_;
  int64_t rows_;
  size_t dimension_;
  std::vector<double> panels_;
};

}  // namespace adasample
