// SPDX-License-Identifier: Apache-2.0
// The matrix products inside a layer: (rows, depth) x (depth, 32) -> (rows, 32), all in blocks of 32 channels. A block
// (rows, 32) is contiguous, so that the innermost loop reads 32 numbers of b, `kRows` of a, and keeps its sums in
// registers.
#pragma once

#include "adasample/train/pass/lanes.h"

namespace adasample::pass {

// Of a: which of its two indices lies along the 32 channels.
enum class Along { kDepth, kRows };

// What a machine's registers hold: rows x vectors of sums.
template <typename V>
struct Tile;
template <>
struct Tile<Lanes16> {
  static constexpr int kRows = 12, kVectors = 2;
};
template <>
struct Tile<Lanes8> {
  static constexpr int kRows = 6, kVectors = 2;
};

// c (kRows, kVectors of 32) = or += sum over `blocks` of a's and b's blocks, and over `depth` in each.
template <typename V, int kRows, Along kAlong>
ADA_LANES void product_tile(const float* __restrict__ a, int64_t a_step, const float* __restrict__ b, int64_t b_step,
                            int blocks, int depth, float* __restrict__ c, bool add) {
  constexpr int kVectors = Tile<V>::kVectors;
  constexpr int kRowStep = kAlong == Along::kDepth ? kBlock : 1, kDepthStep = kAlong == Along::kDepth ? 1 : kBlock;
  V sums[kRows][kVectors];
  ADA_UNROLL for (int r = 0; r < kRows; ++r) { ADA_UNROLL for (int v = 0; v < kVectors; ++v) sums[r][v] = V{}; }
  for (int block = 0; block < blocks; ++block, a += a_step, b += b_step) {
    for (int k = 0; k < depth; ++k) {
      V right[kVectors];
      ADA_UNROLL for (int v = 0; v < kVectors; ++v) load(b + k * kBlock + v * kLanes<V>, right[v]);
      ADA_UNROLL for (int r = 0; r < kRows; ++r) {
        const float left = a[r * kRowStep + k * kDepthStep];
        ADA_UNROLL for (int v = 0; v < kVectors; ++v) sums[r][v] += right[v] * left;
      }
    }
  }
  ADA_UNROLL for (int r = 0; r < kRows; ++r) {
    ADA_UNROLL for (int v = 0; v < kVectors; ++v) {
      float* at = c + r * kBlock + v * kLanes<V>;
      if (add) {
        add_to(sums[r][v], at);
      } else {
        store(sums[r][v], at);
      }
    }
  }
}

// The rows that no full tile takes.
template <typename V, int kRows, Along kAlong>
ADA_LANES void product_rest(int rows, const float* a, int64_t a_step, const float* b, int64_t b_step, int blocks,
                            int depth, float* c, bool add) {
  if constexpr (kRows > 0) {
    if (rows == kRows) {
      product_tile<V, kRows, kAlong>(a, a_step, b, b_step, blocks, depth, c, add);
    } else {
      product_rest<V, kRows - 1, kAlong>(rows, a, a_step, b, b_step, blocks, depth, c, add);
    }
  }
}

// c (rows, 32).
template <typename V, Along kAlong>
ADA_LANES void product(int rows, const float* a, int64_t a_step, const float* b, int64_t b_step, int blocks, int depth,
                       float* c, bool add) {
  constexpr int kRows = Tile<V>::kRows, kColumns = Tile<V>::kVectors * kLanes<V>;
  constexpr int kRowStep = kAlong == Along::kDepth ? kBlock : 1;
  for (int column = 0; column < kBlock; column += kColumns) {
    int r = 0;
    for (; r + kRows <= rows; r += kRows) {
      product_tile<V, kRows, kAlong>(a + r * kRowStep, a_step, b + column, b_step, blocks, depth,
                                     c + r * kBlock + column, add);
    }
    if (r < rows) {
      product_rest<V, kRows - 1, kAlong>(rows - r, a + r * kRowStep, a_step, b + column, b_step, blocks, depth,
                                         c + r * kBlock + column, add);
    }
  }
}

}  // namespace adasample::pass
