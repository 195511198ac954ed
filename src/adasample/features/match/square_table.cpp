// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/match/square_table.h"

#include <algorithm>

#include "adasample/base/error.h"
#include "adasample/features/match/distance_tile.h"

namespace adasample {
namespace {

constexpr size_t kTableWidth = tile::kPanel<float>, kTableTile = tile::kQueries;

}  // namespace

SquareTable::SquareTable(std::span<const float> rows, int dimension)
    : rows_(static_cast<int64_t>(rows.size()) / dimension),
      dimension_(static_cast<size_t>(dimension)),
      panels_(tile::pack<float>(rows, dimension_)) {
  ADA_ASSERT(!rows.empty() && rows.size() % dimension_ == 0);
}

void SquareTable::squares(std::span<const float> queries, std::span<float> out) const {
  const size_t rows = static_cast<size_t>(rows_), count = queries.size() / dimension_;
  ADA_ASSERT(queries.size() == count * dimension_ && out.size() == count * rows);
  const tile::Kernel<float> sums = tile::kernel<float>(Norm::kL2);
  const size_t tiles = (count + kTableTile - 1) / kTableTile;
  std::vector<float> padded(tiles * kTableTile * dimension_);
  std::copy(queries.begin(), queries.end(), padded.begin());
  float block[kTableTile * kTableWidth];
  for (size_t first = 0; first < rows; first += kTableWidth) {
    const size_t width = std::min(kTableWidth, rows - first);
    for (size_t query = 0; query < count; query += kTableTile) {
      sums(panels_.data() + first * dimension_, padded.data() + query * dimension_, dimension_, block);
      for (size_t q = 0; q < std::min(kTableTile, count - query); ++q) {
        std::copy_n(block + q * kTableWidth, width, out.data() + (query + q) * rows + first);
      }
    }
  }
}

float SquareTable::square(std::span<const float> query, int64_t row) const {
  ADA_ASSERT(query.size() == dimension_ && row >= 0 && row < rows_);
  std::vector<float> padded(kTableTile * dimension_);
  std::copy(query.begin(), query.end(), padded.begin());
  float block[kTableTile * kTableWidth];
  const size_t at = static_cast<size_t>(row), first = at / kTableWidth * kTableWidth;
  tile::kernel<float>(Norm::kL2)(panels_.data() + first * dimension_, padded.data(), dimension_, block);
  return block[at - first];
}

}  // namespace adasample
