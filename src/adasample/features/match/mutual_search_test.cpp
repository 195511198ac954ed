// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/match/mutual_search.h"

#include <gtest/gtest.h>

#include <cmath>

#include "adasample/base/random/rng.h"
#include "tests/support/unit_rows.h"

namespace adasample {
namespace {

using testing::TwoSets;

TEST(MutualSearch, BytesFindWhatTwoSearchesFind) {
  struct Case {
    size_t n, m, dimension;
  };
  for (const auto& [n, m, dimension] : {Case{300, 500, 128}, {65, 1, 128}, {1, 70, 128}, {2, 2, 4}, {130, 97, 30}}) {
    const TwoSets sets(n, m, dimension, 100 + n);
    const auto expected = search_twice(sets.a, sets.b, static_cast<int>(dimension));
    EXPECT_FALSE(expected.empty());
    for (const ByteTiles* tiles : all_byte_tiles()) {
      for (const int chunks : {1, 3}) {
        const auto found = search_by_bytes(sets.a, sets.b, static_cast<int>(dimension), tiles, chunks);
        ASSERT_TRUE(found || dimension < 128) << tiles->name;
        if (found) {
          EXPECT_EQ(*found, expected) << tiles->name << ", " << n << " x " << m;
        }
      }
    }
  }
}

// Rows that lie close together, as the nearest of 10,000 do: whoever takes a bound that is too tight loses some.
TEST(MutualSearch, NearTiesAreDecidedInDouble) {
  constexpr size_t kRows = 400, kWide = 128;
  RngStream rng(RngKey(3, Draw::kPairs));
  std::vector<float> a(kRows * kWide), b(kRows * kWide);
  for (auto* rows : {&a, &b}) {
    for (size_t i = 0; i < kRows; ++i) {
      for (size_t k = 0; k < kWide; ++k) {
        (*rows)[i * kWide + k] = static_cast<float>((k < 64 ? 1.0 : -1.0) / std::sqrt(128.0) + 1e-4 * rng.normal());
      }
    }
  }
  const auto expected = search_twice(a, b, kWide);
  EXPECT_GT(expected.size(), 20u);
  for (const ByteTiles* tiles : all_byte_tiles()) EXPECT_EQ(search_by_bytes(a, b, kWide, tiles, 2), expected);
}

TEST(MutualSearch, ScaledRowsAndRowsThatBytesCannotTell) {
  TwoSets sets(200, 200, 128, 9);
  for (float& v : sets.a) v *= 300;
  for (float& v : sets.b) v *= 300;
  const auto expected = search_twice(sets.a, sets.b, 128);
  for (const ByteTiles* tiles : all_byte_tiles()) EXPECT_EQ(search_by_bytes(sets.a, sets.b, 128, tiles, 1), expected);
  for (size_t k = 0; k < 128; ++k) sets.b[k] *= 20;  // one row of another norm
  EXPECT_EQ(search_mutual(sets.a, sets.b, 128), search_twice(sets.a, sets.b, 128));
  for (const ByteTiles* tiles : all_byte_tiles()) {
    EXPECT_FALSE(search_by_bytes(sets.a, sets.b, 128, tiles, 1));
    EXPECT_FALSE(search_by_bytes(std::vector<float>(640), sets.b, 128, tiles, 1)) << "all zero";
    sets.b[0] = NAN;
    EXPECT_FALSE(search_by_bytes(sets.a, sets.b, 128, tiles, 1));
  }
  EXPECT_FALSE(search_by_bytes(sets.a, sets.b, 128, nullptr, 1));
}

// Entries as large as bytes get: nothing saturates, and sums of 16 bits that wrap come out right.
TEST(ByteTiles, ProductsAtTheLimits) {
  for (const ByteTiles* tiles : all_byte_tiles()) {
    constexpr size_t kQuads = 32;
    std::vector<uint8_t> queries(tiles->queries * 4 * kQuads);
    std::vector<int8_t> rows(tiles->panel * 4 * kQuads), panel(rows.size());
    RngStream rng(RngKey(5, Draw::kPairs));
    for (size_t q = 0; q < tiles->queries; ++q) {
      for (size_t k = 0; k < 4 * kQuads; ++k) {
        const int value = q == 0 ? (k < 4 ? (tiles->shift - 1) : 0) : static_cast<int>(rng.uniform(-16, 16));
        queries[q * 4 * kQuads + k] = static_cast<uint8_t>(value + tiles->shift);
      }
    }
    std::vector<int32_t> start(tiles->panel);
    for (size_t r = 0; r < tiles->panel; ++r) {
      int8_t* row = rows.data() + r * 4 * kQuads;
      for (size_t k = 0; k < 4 * kQuads; ++k) {
        row[k] = static_cast<int8_t>(r == 0   ? (k < 2 ? kMostRow : 0)
                                     : r == 1 ? (k < 2 ? -kMostRow : 0)
                                              : static_cast<int>(rng.uniform(-16, 16)));
        panel[k / 4 * tiles->panel * 4 + r * 4 + k % 4] = row[k];
      }
      start[r] = start_of(*tiles, row, kQuads);
    }
    std::vector<int32_t> products(tiles->queries * tiles->panel), column_limits(tiles->panel, 1 << 30);
    std::vector<int32_t> query_limits(tiles->queries, 1 << 30);
    std::vector<uint32_t> hits(tiles->queries);
    const auto multiply = [&] {
      return tiles->multiply(queries.data(), panel.data(), start.data(), kQuads, query_limits.data(),
                             column_limits.data(), products.data(), hits.data());
    };
    EXPECT_FALSE(multiply());
    for (size_t q = 0; q < tiles->queries; ++q) {
      for (size_t r = 0; r < tiles->panel; ++r) {
        int32_t sum = 0;
        for (size_t k = 0; k < 4 * kQuads; ++k) {
          sum += (queries[q * 4 * kQuads + k] - tiles->shift) * rows[r * 4 * kQuads + k];
        }
        EXPECT_EQ(products[q * tiles->panel + r], sum) << tiles->name << " " << q << " " << r;
      }
    }
    // A limit is to be exceeded, a query's or a row's.
    query_limits[1] = products[tiles->panel + 2] - 1;
    column_limits[3] = products[2 * tiles->panel + 3] - 1;
    column_limits[0] = products[0];
    EXPECT_TRUE(multiply());
    for (size_t q = 0; q < tiles->queries; ++q) {
      for (size_t r = 0; r < tiles->panel; ++r) {
        const int32_t product = products[q * tiles->panel + r];
        EXPECT_EQ((hits[q] >> r & 1) != 0, product > query_limits[q] || product > column_limits[r]);
      }
    }
  }
}

}  // namespace
}  // namespace adasample
