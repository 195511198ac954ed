// SPDX-License-Identifier: Apache-2.0
// Squared Euclidean distances of queries to rows, all of them, in float32: for figures that count every pair. Which of
// two is nearer is decided to about seven digits; features/match/distance_table.h has all of double's.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace adasample {

class SquareTable {
 public:
  // rows: (n, dimension), one at least; copied.
  SquareTable(std::span<const float> rows, int dimension);

  int64_t rows() const { return rows_; }

  // queries: (m, dimension), out: (m, rows()). Best with some dozens of queries at a time.
  void squares(std::span<const float> queries, std::span<float> out) const;
  // An entry of it, bit for bit.
  float square(std::span<const float> query, int64_t row) const;

 private:
  int64_t rows_;
  size_t dimension_;
  std::vector<float> panels_;
};

}  // namespace adasample
