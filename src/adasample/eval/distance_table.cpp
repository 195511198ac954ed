// SPDX-License-Identifier: Apache-2.0
// Compiled with -ffp-contract=off (a fused multiply-add would round otherwise than scipy) and -fno-math-errno (without
// it there is no vector of square roots): CMakeLists.txt.
#include "adasample/eval/distance_table.h"

#include <algorithm>
#include <cmath>

#include "adasample/base/error.h"

namespace adasample {
namespace {

constexpr size_t kPanel = 16;  // rows side by side: two vectors of AVX-512
constexpr size_t kTile = 4;    // queries at a time: with two vectors each, eight sums hide the latency of an addition

// Vectors that may stand anywhere among doubles.
using Vector16 = double __attribute__((vector_size(16), aligned(8), may_alias));
using Vector32 = double __attribute__((vector_size(32), aligned(8), may_alias));
using Vector64 = double __attribute__((vector_size(64), aligned(8), may_alias));

// Distances of kTile queries to the rows of one panel; queries: (kTile, dimension), out: (kTile, kPanel).
template <Metric metric, typename Vector>
[[gnu::always_inline]] inline void tile(const double* panel, const double* queries, size_t dimension, double* out) {
  constexpr size_t kWidth = sizeof(Vector) / sizeof(double);
  for (size_t column = 0; column < kPanel; column += 2 * kWidth) {
    Vector sums[kTile][2] = {};
    for (size_t d = 0; d < dimension; ++d) {
      const auto* rows = reinterpret_cast<const Vector*>(panel + d * kPanel + column);
#pragma GCC unroll 4
      for (size_t q = 0; q < kTile; ++q) {
#pragma GCC unroll 2
        for (size_t v = 0; v < 2; ++v) {
          const Vector difference = queries[q * dimension + d] - rows[v];
          if constexpr (metric == Metric::kL2) {
            sums[q][v] += difference * difference;
          } else {
            sums[q][v] += difference < 0 ? -difference : difference;
          }
        }
      }
    }
#pragma GCC unroll 4
    for (size_t q = 0; q < kTile; ++q) {
#pragma GCC unroll 2
      for (size_t v = 0; v < 2; ++v) reinterpret_cast<Vector*>(out + q * kPanel + column)[v] = sums[q][v];
    }
  }
  if constexpr (metric == Metric::kL2) {
    for (size_t i = 0; i < kTile * kPanel; ++i) out[i] = std::sqrt(out[i]);
  }
}

using Tile = void (*)(const double* panel, const double* queries, size_t dimension, double* out);

template <Metric metric>
void plain_tile(const double* panel, const double* queries, size_t dimension, double* out) {
  tile<metric, Vector16>(panel, queries, dimension, out);
}

#ifdef __x86_64__
template <Metric metric>
[[gnu::target("avx2")]] void avx2_tile(const double* panel, const double* queries, size_t dimension, double* out) {
  tile<metric, Vector32>(panel, queries, dimension, out);
}

template <Metric metric>
[[gnu::target("avx512f")]] void avx512_tile(const double* panel, const double* queries, size_t dimension, double* out) {
  tile<metric, Vector64>(panel, queries, dimension, out);
}
#endif

// All give the same bits.
template <Metric metric>
Tile best_tile() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f")) return avx512_tile<metric>;
  if (__builtin_cpu_supports("avx2")) return avx2_tile<metric>;
#endif
  return plain_tile<metric>;
}

}  // namespace

DistanceTable::DistanceTable(Metric metric, std::span<const float> rows, int dimension)
    : metric_(metric),
      rows_(static_cast<int64_t>(rows.size()) / dimension),
      dimension_(static_cast<size_t>(dimension)),
      panels_((static_cast<size_t>(rows_) + kPanel - 1) / kPanel * kPanel * dimension_) {
  ADA_ASSERT(rows.size() % dimension_ == 0);
  for (size_t row = 0; row < static_cast<size_t>(rows_); ++row) {
    double* panel = panels_.data() + row / kPanel * kPanel * dimension_;
    for (size_t d = 0; d < dimension_; ++d) panel[d * kPanel + row % kPanel] = rows[row * dimension_ + d];
  }
}

void DistanceTable::distances(std::span<const float> queries, std::span<double> out) const {
  static const Tile best[] = {best_tile<Metric::kL2>(), best_tile<Metric::kL1>()};
  const Tile run = best[metric_ == Metric::kL2 ? 0 : 1];
  const size_t count = queries.size() / dimension_, columns = static_cast<size_t>(rows_);
  ADA_ASSERT(out.size() == count * columns);

  std::vector<double> wide((count + kTile - 1) / kTile * kTile * dimension_);
  std::copy(queries.begin(), queries.end(), wide.begin());
  double block[kTile * kPanel];
  for (size_t column = 0; column < columns; column += kPanel) {
    const size_t width = std::min(kPanel, columns - column);
    for (size_t first = 0; first < count; first += kTile) {
      run(panels_.data() + column * dimension_, wide.data() + first * dimension_, dimension_, block);
      for (size_t q = 0; q < std::min(kTile, count - first); ++q) {
        std::copy_n(block + q * kPanel, width, out.data() + (first + q) * columns + column);
      }
    }
  }
}

}  // namespace adasample
