// SPDX-License-Identifier: Apache-2.0
// How much of a layer winograd-inl.h has at the points at once, and where it lies.
#pragma once

#include <algorithm>

#include "adasample/engine/simd/conv_shape.h"

namespace adasample::simd {

inline constexpr int kMostColumns = 34;  // of a row of tiles: 8 tiles of stride 1, 4 of stride 2 read fewer

// Rows of tiles.
inline int rows_at_once(const ConvShape& s) {
  constexpr int kTiles = 12;  // of 8 to 96 the best on AVX2 and AVX-512 (bench/README.md)
  return std::max(1, kTiles / s.tiles_per_row());
}

// Numbers from one point to the next: a cache line more than what lies between, else all points of a tile would fall
// into the same few lines of the cache.
inline size_t points_apart(const ConvShape& s) {
  return static_cast<size_t>(rows_at_once(s) * s.tiles_per_row() * s.in_channels) + 32;
}

inline size_t values_needed(const ConvShape& s) { return static_cast<size_t>(s.points()) * points_apart(s); }

}  // namespace adasample::simd
