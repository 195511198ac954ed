// SPDX-License-Identifier: Apache-2.0
// Searches on a GPU against those on the CPU. Skipped, with the reason, where no GPU is.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "adasample/features/match/product_search.h"
#include "tests/support/unit_rows.h"

namespace adasample {
namespace {

class GpuMatch : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string& problem = problem_of_matching_on_gpu();
    if (!problem.empty()) GTEST_SKIP() << problem;
  }
};

// Tables of any shape: tiles that are not full, fewer rows than products asked for, and buffers used again.
TEST_F(GpuMatch, TheLargestProductsOfEveryRow) {
  struct Case {
    size_t n, m, dimension;
  };
  gpu::ProductSearch search;
  for (const auto& [n, m, dimension] : {Case{70, 300, 128}, {1, 1, 128}, {1000, 3, 30}, {130, 257, 17}, {64, 65, 1}}) {
    const testing::TwoSets sets(n, m, dimension, n);
    gpu::TopProducts tops[2];
    search.run(sets.a, sets.b, static_cast<int>(dimension), tops[0], tops[1]);
    for (const bool turned : {false, true}) {
      const auto& queries = turned ? sets.b : sets.a;
      const auto& rows = turned ? sets.a : sets.b;
      const gpu::TopProducts& top = tops[turned ? 1 : 0];
      const size_t count = rows.size() / dimension;
      ASSERT_EQ(top.products.size(), queries.size() / dimension * gpu::kTopProducts);
      for (size_t i = 0; i < queries.size() / dimension; ++i) {
        std::vector<double> exact(count);
        for (size_t j = 0; j < count; ++j) {
          for (size_t k = 0; k < dimension; ++k)
            exact[j] += double{queries[i * dimension + k]} * rows[j * dimension + k];
        }
        std::vector<double> sorted = exact;
        std::sort(sorted.rbegin(), sorted.rend());
        for (size_t k = 0; k < gpu::kTopProducts; ++k) {
          const float product = top.products[i * gpu::kTopProducts + k];
          const int32_t other = top.others[i * gpu::kTopProducts + k];
          if (k >= count) {
            EXPECT_EQ(product, -INFINITY);
            EXPECT_EQ(other, -1);
            continue;
          }
          ASSERT_TRUE(other >= 0 && other < static_cast<int32_t>(count)) << other;
          EXPECT_NEAR(product, sorted[k], 2e-6);
          EXPECT_NEAR(product, exact[static_cast<size_t>(other)], 2e-6);
        }
      }
    }
  }
}

TEST_F(GpuMatch, FindsWhatTwoSearchesFind) {
  const testing::TwoSets sets(3000, 2500, 128, 4);
  const auto found = search_on_gpu(sets.a, sets.b, 128);
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, search_twice(sets.a, sets.b, 128));
}

}  // namespace
}  // namespace adasample
