// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/match/square_table.h"

#include <gtest/gtest.h>

#include "adasample/base/random/rng.h"

namespace adasample {
namespace {

TEST(SquareTable, EveryPairAndOneAtATime) {
  for (const auto& [rows, queries, dimension] : {std::array{1, 1, 1}, {33, 5, 7}, {64, 4, 128}, {70, 9, 3}}) {
    RngStream rng(RngKey(5, Draw::kHpatches).at(static_cast<uint64_t>(rows)));
    const auto width = static_cast<size_t>(dimension);
    std::vector<float> a(static_cast<size_t>(queries) * width), b(static_cast<size_t>(rows) * width);
    for (auto* values : {&a, &b}) {
      for (float& value : *values) value = static_cast<float>(rng.uniform(-1, 1));
    }
    const SquareTable table(b, dimension);
    ASSERT_EQ(table.rows(), rows);
    std::vector<float> out(static_cast<size_t>(queries * rows));
    table.squares(a, out);
    for (size_t q = 0; q < static_cast<size_t>(queries); ++q) {
      for (size_t r = 0; r < static_cast<size_t>(rows); ++r) {
        double sum = 0;
        for (size_t d = 0; d < width; ++d) {
          const double difference = double{a[q * width + d]} - b[r * width + d];
          sum += difference * difference;
        }
        const float found = out[q * static_cast<size_t>(rows) + r];
        EXPECT_NEAR(found, sum, 1e-5 * sum + 1e-7);
        EXPECT_EQ(found, table.square(std::span(a).subspan(q * width, width), static_cast<int64_t>(r)));
      }
    }
  }
}

}  // namespace
}  // namespace adasample
