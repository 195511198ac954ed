// SPDX-License-Identifier: Apache-2.0
// Products of rows of bytes, a tile at a time, compiled once for each instruction set (features/match/simd/). The
// kernel under features/match/mutual_search.h, not for others.
//
// One side ("queries") is shifted and unsigned, the other ("rows") signed: that is what the machines multiply. With
// VNNI sums have 32 bits. Without it queries are shifted to 1 .. 127 only: two products fit into 16 bits, so nothing
// saturates; sums of 16 bits wrap around, which does no harm as long as the sum without the shift fits into them, and
// by Cauchy and Schwarz it does where norms are small (most_product).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace adasample {

inline constexpr int kMostRow = 127;  // of a row's entries, in magnitude

struct ByteTiles {
  const char* name;     // of the instruction set
  size_t queries;       // of a tile
  size_t panel;         // rows of a tile, 32 at most
  bool halves;          // whether `start` is two sums of 16 bits, else one of 32
  int shift;            // of queries, whose entries are smaller in magnitude
  double most_product;  // of a query's norm and a row's

  // Products of `queries` (tile.queries, 4 quads) with the rows of a panel (quads, tile.panel, 4) to `products`
  // (tile.queries, tile.panel); a bit of hits[q] for each row whose product exceeds query_limits[q] or the row's own of
  // row_limits. False: there is none. start (tile.panel): see start_of().
  bool (*multiply)(const uint8_t* queries, const int8_t* rows, const int32_t* start, size_t quads,
                   const int32_t* query_limits, const int32_t* row_limits, int32_t* products, uint32_t* hits);
  float (*dot)(const float* a, const float* b, size_t count);  // of two rows, in float32
};

// What the sum of a row begins with, to take out the queries' shift; row: 4 quads bytes.
int32_t start_of(const ByteTiles& tiles, const int8_t* row, size_t quads);

// Of every instruction set that this machine has, best first; none where Highway is missing, or another machine.
std::vector<const ByteTiles*> all_byte_tiles();
// The best that is allowed (base/instruction_set.h). Null: none.
const ByteTiles* best_byte_tiles();

}  // namespace adasample
