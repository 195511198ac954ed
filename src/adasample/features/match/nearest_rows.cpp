// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/match/nearest_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "adasample/base/error.h"
#include "adasample/features/match/distance_tile.h"

namespace adasample {
namespace {

constexpr size_t kPanel = tile::kPanel<float>, kTile = tile::kQueries;

float least_of(const float* values) {  // of a panel; lane by lane, which the compiler turns into vectors
  float least[8];
  std::copy_n(values, 8, least);
  for (size_t i = 8; i < kPanel; i += 8) {
    for (size_t lane = 0; lane < 8; ++lane) {
      least[lane] = values[i + lane] < least[lane] ? values[i + lane] : least[lane];
    }
  }
  return *std::min_element(least, least + 8);
}

// Of the least sums of panels the least, or for rank 2 the next: no less than that of all rows. Infinite where there
// are fewer panels.
float nth_least(const float* of_panels, size_t panels, size_t rank) {
  float least = INFINITY, second = INFINITY;
  for (size_t i = 0; i < panels; ++i) {
    second = std::min(second, std::max(least, of_panels[i]));
    least = std::min(least, of_panels[i]);
  }
  return rank == 1 ? least : second;
}

// The largest sum that the nearest row can have when the least is `least`; sums below float's range count too.
float limit(float least, size_t dimension) {
  const float slack = 4 * static_cast<float>(dimension + 4);
  return least * (1 + slack * std::numeric_limits<float>::epsilon()) + slack * std::numeric_limits<float>::min();
}

}  // namespace

NearestRows::NearestRows(Norm norm, std::span<const float> rows, int dimension)
    : norm_(norm),
      rows_(rows),
      dimension_(static_cast<size_t>(dimension)),
      panels_(tile::pack<float>(rows, dimension_)) {
  ADA_ASSERT(!rows.empty() && rows.size() % dimension_ == 0);
}

template <typename Visit>
void NearestRows::for_candidates(std::span<const float> queries, size_t rank, const Visit& visit) const {
  const tile::Kernel<float> sums = tile::kernel<float>(norm_);
  const size_t count = queries.size() / dimension_, tiles = (count + kTile - 1) / kTile;
  const size_t rows = rows_.size() / dimension_, panels = (rows + kPanel - 1) / kPanel;
  std::vector<float> padded(tiles * kTile * dimension_);
  std::copy(queries.begin(), queries.end(), padded.begin());

  std::vector<float> all(tiles * panels * kTile * kPanel);  // (tiles, panels, kTile, kPanel)
  std::vector<float> least(tiles * kTile * panels);         // of a query and panel
  for (size_t panel = 0; panel < panels; ++panel) {
    for (size_t t = 0; t < tiles; ++t) {
      float* block = all.data() + (t * panels + panel) * kTile * kPanel;
      sums(panels_.data() + panel * kPanel * dimension_, padded.data() + t * kTile * dimension_, dimension_, block);
      for (size_t q = 0; q < kTile; ++q) {
        float* values = block + q * kPanel;
        if (panel == panels - 1) std::fill(values + (rows - panel * kPanel), values + kPanel, INFINITY);
        least[(t * kTile + q) * panels + panel] = least_of(values);
      }
    }
  }

  for (size_t q = 0; q < count; ++q) {
    const float* of_panels = least.data() + q * panels;
    const float bound = limit(nth_least(of_panels, panels, rank), dimension_);
    for (size_t panel = 0; panel < panels; ++panel) {
      if (of_panels[panel] > bound) continue;
      const float* values = all.data() + ((q / kTile * panels + panel) * kTile + q % kTile) * kPanel;
      for (size_t i = 0; i < kPanel && panel * kPanel + i < rows; ++i) {
        if (values[i] > bound) continue;
        const size_t row = panel * kPanel + i;
        visit(q, Nearest{static_cast<int64_t>(row), table_distance(norm_, queries.subspan(q * dimension_, dimension_),
                                                                   rows_.subspan(row * dimension_, dimension_))});
      }
    }
  }
}

std::vector<NearestRows::Nearest> NearestRows::find(std::span<const float> queries) const {
  std::vector<Nearest> found(queries.size() / dimension_, {0, INFINITY});
  for_candidates(queries, 1, [&](size_t q, const Nearest& row) {
    if (row.distance < found[q].distance) found[q] = row;
  });
  return found;
}

std::vector<NearestRows::NearestTwo> NearestRows::find_two(std::span<const float> queries) const {
  const NearestTwo none = {{0, INFINITY}, {0, INFINITY}};
  std::vector<NearestTwo> found(queries.size() / dimension_, none);
  for_candidates(queries, 2, [&](size_t q, const Nearest& row) {
    NearestTwo& two = found[q];
    if (row.distance < two.first.distance) {
      two = {row, two.first};
    } else if (row.distance < two.second.distance) {
      two.second = row;
    }
  });
  return found;
}

}  // namespace adasample
