// SPDX-License-Identifier: Apache-2.0
// Distances to the last bit, against scipy's.
#include "adasample/features/match/norm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "adasample/base/random/rng.h"
#include "adasample/features/match/distance_table.h"
#include "adasample/features/match/nearest_rows.h"
#include "tests/support/expect_error.h"
#include "tests/support/golden.h"
#include "tests/support/naive_distance.h"

namespace adasample {
namespace {

using testing::expect_error;
using testing::naive_distance;

std::vector<float> made_up(size_t n, size_t factor, size_t offset, double divisor) {
  std::vector<float> values(n);
  for (size_t i = 0; i < n; ++i)
    values[i] = static_cast<float>(static_cast<double>((i * factor + offset) % 1000) / divisor);
  return values;
}

TEST(Norm, BitsOfScipy) {
  const nlohmann::json cases = testing::golden("metric/expected.json").at("cases");
  EXPECT_EQ(cases.size(), 8u);
  for (const nlohmann::json& expected : cases) {
    const auto n = expected["n"].get<size_t>();
    SCOPED_TRACE(n);
    const std::vector<float> a = made_up(n, 7919, 13, 997.0), b = made_up(n, 104729, n, 991.0);
    EXPECT_EQ(std::bit_cast<uint32_t>(pair_distance(Norm::kL2, a, b)), expected["euclidean_bits"].get<uint32_t>());
    EXPECT_EQ(std::bit_cast<uint32_t>(pair_distance(Norm::kL1, a, b)), expected["cityblock_bits"].get<uint32_t>());
    double found = 0;
    DistanceTable(Norm::kL2, b, static_cast<int>(n)).distances(a, {&found, 1});
    EXPECT_EQ(found, std::strtod(expected["cdist_euclidean"].get<std::string>().c_str(), nullptr));
    DistanceTable(Norm::kL1, b, static_cast<int>(n)).distances(a, {&found, 1});
    EXPECT_EQ(found, std::strtod(expected["cdist_cityblock"].get<std::string>().c_str(), nullptr));
  }
}

// Every remainder of the panel of 16 rows and the tile of 4 queries.
TEST(DistanceTable, SizesThatFillNoPanel) {
  constexpr size_t kDimension = 5;
  for (const size_t rows : {1u, 15u, 16u, 17u, 40u}) {
    for (const size_t queries : {1u, 3u, 4u, 6u}) {
      const std::vector<float> a = made_up(queries * kDimension, 7919, 13, 997.0);
      const std::vector<float> b = made_up(rows * kDimension, 104729, rows, 991.0);
      for (const Norm norm : {Norm::kL2, Norm::kL1}) {
        const DistanceTable table(norm, b, kDimension);
        std::vector<double> found(queries * rows);
        table.distances(a, found);
        for (size_t q = 0; q < queries; ++q) {
          for (size_t r = 0; r < rows; ++r) {
            EXPECT_EQ(found[q * rows + r], naive_distance(norm, std::span(a).subspan(q * kDimension, kDimension),
                                                          std::span(b).subspan(r * kDimension, kDimension)));
          }
        }
      }
    }
  }
}

constexpr int kColumns = 7;

std::vector<float> on_a_grid(uint64_t seed, size_t rows, double grid) {
  RngStream rng(RngKey(seed, Draw::kScene));
  std::vector<float> values(rows * kColumns);
  for (float& value : values) value = static_cast<float>(std::round(rng.normal() * grid) / grid);
  return values;
}

std::span<const float> row_of(const std::vector<float>& values, int64_t row) {
  return std::span(values).subspan(static_cast<size_t>(row) * kColumns, kColumns);
}

// Rows on a coarse grid tie by the dozen, rows on a fine one by chance within float32: the first of the nearest, to the
// last bit, whatever their number.
TEST(NearestRows, FirstOfTheNearest) {
  for (const double grid : {1.0, 10.0, 1e4}) {
    const std::vector<float> queries = on_a_grid(1, 203, grid), all_rows = on_a_grid(2, 203, grid);
    for (const Norm norm : {Norm::kL2, Norm::kL1}) {
      for (const int64_t rows : {1, 31, 32, 33, 203}) {
        const auto some = std::span(all_rows).first(static_cast<size_t>(rows) * kColumns);
        const auto found = NearestRows(norm, some, kColumns).find(queries);
        ASSERT_EQ(found.size(), 203u);
        for (int64_t q = 0; q < 203; ++q) {
          NearestRows::Nearest expected{0, INFINITY};
          for (int64_t r = 0; r < rows; ++r) {
            const double distance = naive_distance(norm, row_of(queries, q), row_of(all_rows, r));
            if (distance < expected.distance) expected = {r, distance};
          }
          EXPECT_EQ(found[static_cast<size_t>(q)].row, expected.row);
          EXPECT_EQ(found[static_cast<size_t>(q)].distance, expected.distance);
        }
        const auto two = NearestRows(norm, some, kColumns).find_two(queries);
        ASSERT_EQ(two.size(), 203u);
        for (size_t q = 0; q < 203; ++q) {
          std::vector<std::pair<double, int64_t>> all = {{INFINITY, 0}};
          for (int64_t r = 0; r < rows; ++r) {
            const auto query = row_of(queries, static_cast<int64_t>(q));
            all.emplace_back(naive_distance(norm, query, row_of(all_rows, r)), r);
          }
          std::sort(all.begin(), all.end());
          EXPECT_EQ(std::pair(two[q].first.distance, two[q].first.row), all[0]);
          EXPECT_EQ(std::pair(two[q].second.distance, two[q].second.row), all[1]);
        }
      }
    }
  }
}

// Differences whose squares float32 cannot hold.
TEST(NearestRows, TinyNumbers) {
  const std::vector<float> rows = {3e-30f, 0, 1e-30f, 0, 2e-30f, 0}, query = {0, 0};
  const auto found = NearestRows(Norm::kL2, rows, 2).find(query);
  EXPECT_EQ(found.at(0).row, 1);
  EXPECT_NEAR(found.at(0).distance, 1e-30, 1e-36);
}

TEST(Norm, Names) {
  for (const Norm norm : {Norm::kL2, Norm::kL1}) EXPECT_EQ(norm_from_name(norm_name(norm)), norm);
  expect_error([] { norm_from_name("L2"); }, "distance = \"L2\", must be l2 or l1");
}

}  // namespace
}  // namespace adasample
