// SPDX-License-Identifier: Apache-2.0
// Compiled with -ffp-contract=off (a fused multiply-add would round otherwise than scipy) and -fno-math-errno (without
// it there is no vector of square roots): CMakeLists.txt.
#include "adasample/features/match/distance_table.h"

#include <algorithm>
#include <cmath>

#include "adasample/base/error.h"
#include "adasample/features/match/distance_tile.h"

namespace adasample {

DistanceTable::DistanceTable(Norm norm, std::span<const float> rows, int dimension)
    : norm_(norm),
      rows_(static_cast<int64_t>(rows.size()) / dimension),
      dimension_(static_cast<size_t>(dimension)),
      panels_(tile::pack<double>(rows, dimension_)) {
  ADA_ASSERT(rows.size() % dimension_ == 0);
}

DistanceTable::DistanceTable(Norm norm, std::span<const double> rows, int dimension)
    : norm_(norm),
      rows_(static_cast<int64_t>(rows.size()) / dimension),
      dimension_(static_cast<size_t>(dimension)),
      panels_(tile::pack<double>(rows, dimension_)) {
  ADA_ASSERT(rows.size() % dimension_ == 0);
}

void DistanceTable::distances(std::span<const float> queries, std::span<double> out) const { measure(queries, out); }
void DistanceTable::distances(std::span<const double> queries, std::span<double> out) const { measure(queries, out); }

template <typename Real>
void DistanceTable::measure(std::span<const Real> queries, std::span<double> out) const {
  constexpr size_t kPanel = tile::kPanel<double>, kTile = tile::kQueries;
  const tile::Kernel<double> sums = tile::kernel<double>(norm_);
  const size_t count = queries.size() / dimension_, columns = static_cast<size_t>(rows_);
  ADA_ASSERT(out.size() == count * columns);

  std::vector<double> wide((count + kTile - 1) / kTile * kTile * dimension_);
  std::copy(queries.begin(), queries.end(), wide.begin());
  double block[kTile * kPanel];
  for (size_t column = 0; column < columns; column += kPanel) {
    const size_t width = std::min(kPanel, columns - column);
    for (size_t first = 0; first < count; first += kTile) {
      sums(panels_.data() + column * dimension_, wide.data() + first * dimension_, dimension_, block);
      if (norm_ == Norm::kL2) {
        for (double& value : block) value = std::sqrt(value);
      }
      for (size_t q = 0; q < std::min(kTile, count - first); ++q) {
        std::copy_n(block + q * kPanel, width, out.data() + (first + q) * columns + column);
      }
    }
  }
}

}  // namespace adasample
