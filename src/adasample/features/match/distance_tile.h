// SPDX-License-Identifier: Apache-2.0
// The kernel under DistanceTable (double) and NearestRows (float), not for others: distances of four queries to a panel
// of rows. Rows are stored as panels of 128 bytes, coordinate by coordinate, and the widest vectors of the machine run
// over a panel while the sums stay in registers. Each pair is summed in the order of its coordinates.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "adasample/features/match/norm.h"

namespace adasample::tile {

template <typename Scalar>
inline constexpr size_t kPanel = 128 / sizeof(Scalar);  // rows side by side: two vectors of AVX-512
inline constexpr size_t kQueries = 4;  // at a time: with two vectors each, eight sums hide the latency of an addition

// (n, dimension) -> (panels, dimension, kPanel), the last panel filled up with zeros.
template <typename Scalar, typename Real>
std::vector<Scalar> pack(std::span<const Real> rows, size_t dimension) {
  constexpr size_t kWidth = kPanel<Scalar>;
  const size_t count = rows.size() / dimension;
  std::vector<Scalar> panels((count + kWidth - 1) / kWidth * kWidth * dimension);
  for (size_t row = 0; row < count; ++row) {
    Scalar* panel = panels.data() + row / kWidth * kWidth * dimension;
    for (size_t d = 0; d < dimension; ++d) panel[d * kWidth + row % kWidth] = rows[row * dimension + d];
  }
  return panels;
}

// Sums of squares (l2, without the root) or of absolute differences; queries: (kQueries, dimension), out: (kQueries,
// kPanel).
template <Norm norm, typename Scalar, size_t bytes>
[[gnu::always_inline]] inline void sums_of(const Scalar* panel, const Scalar* queries, size_t dimension, Scalar* out) {
  // A vector that may stand anywhere among scalars.
  using Vector [[gnu::vector_size(bytes), gnu::aligned(alignof(Scalar)), gnu::may_alias]] = Scalar;
  constexpr size_t kWidth = kPanel<Scalar>;
  for (size_t column = 0; column < kWidth; column += 2 * bytes / sizeof(Scalar)) {
    Vector sums[kQueries][2] = {};
    for (size_t d = 0; d < dimension; ++d) {
      const auto* rows = reinterpret_cast<const Vector*>(panel + d * kWidth + column);
#pragma GCC unroll 4
      for (size_t q = 0; q < kQueries; ++q) {
#pragma GCC unroll 2
        for (size_t v = 0; v < 2; ++v) {
          const Vector difference = queries[q * dimension + d] - rows[v];
          if constexpr (norm == Norm::kL2) {
            sums[q][v] += difference * difference;
          } else {
            sums[q][v] += difference < 0 ? -difference : difference;
          }
        }
      }
    }
#pragma GCC unroll 4
    for (size_t q = 0; q < kQueries; ++q) {
#pragma GCC unroll 2
      for (size_t v = 0; v < 2; ++v) reinterpret_cast<Vector*>(out + q * kWidth + column)[v] = sums[q][v];
    }
  }
}

template <typename Scalar>
using Kernel = void (*)(const Scalar* panel, const Scalar* queries, size_t dimension, Scalar* out);

template <Norm norm, typename Scalar>
void plain(const Scalar* panel, const Scalar* queries, size_t dimension, Scalar* out) {
  sums_of<norm, Scalar, 16>(panel, queries, dimension, out);
}

#ifdef __x86_64__
template <Norm norm, typename Scalar>
[[gnu::target("avx2,fma")]] void avx2(const Scalar* panel, const Scalar* queries, size_t dimension, Scalar* out) {
  sums_of<norm, Scalar, 32>(panel, queries, dimension, out);
}

template <Norm norm, typename Scalar>
[[gnu::target("avx512f")]] void avx512(const Scalar* panel, const Scalar* queries, size_t dimension, Scalar* out) {
  sums_of<norm, Scalar, 64>(panel, queries, dimension, out);
}
#endif

template <Norm norm, typename Scalar>
Kernel<Scalar> widest() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f")) return avx512<norm, Scalar>;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return avx2<norm, Scalar>;
#endif
  return plain<norm, Scalar>;
}

template <typename Scalar>
Kernel<Scalar> kernel(Norm norm) {
  static const Kernel<Scalar> l2 = widest<Norm::kL2, Scalar>(), l1 = widest<Norm::kL1, Scalar>();
  return norm == Norm::kL2 ? l2 : l1;
}

}  // namespace adasample::tile
