// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/match/product_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "adasample/base/random/rng.h"
#include "tests/support/unit_rows.h"

namespace adasample {
namespace {

// What gpu/cuda/top_products.cu does, one row after another; sums from the end, so that they round differently.
void find_side(std::span<const float> queries, std::span<const float> rows, size_t dimension, gpu::TopProducts& to) {
  const size_t count = queries.size() / dimension, others = rows.size() / dimension;
  to.products.assign(count * gpu::kTopProducts, -INFINITY);
  to.others.assign(count * gpu::kTopProducts, -1);
  std::vector<float> products(others);
  std::vector<int32_t> order(others);
  for (size_t i = 0; i < count; ++i) {
    for (size_t j = 0; j < others; ++j) {
      products[j] = 0;
      for (size_t k = dimension; k-- > 0;) products[j] += queries[i * dimension + k] * rows[j * dimension + k];
    }
    std::iota(order.begin(), order.end(), 0);
    const size_t few = std::min(others, gpu::kTopProducts);
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(few), order.end(),
                      [&](int32_t x, int32_t y) {  // of equal ones the last: nobody promises the first
                        const float p = products[static_cast<size_t>(x)], q = products[static_cast<size_t>(y)];
                        return p > q || (p == q && x > y);
                      });
    for (size_t k = 0; k < few; ++k) {
      to.others[i * gpu::kTopProducts + k] = order[k];
      to.products[i * gpu::kTopProducts + k] = products[static_cast<size_t>(order[k])];
    }
  }
}

void find(std::span<const float> a, std::span<const float> b, int dimension, gpu::TopProducts& of_a,
          gpu::TopProducts& of_b) {
  find_side(a, b, static_cast<size_t>(dimension), of_a);
  find_side(b, a, static_cast<size_t>(dimension), of_b);
}

TEST(ProductSearch, FindsWhatTwoSearchesFind) {
  struct Case {
    size_t n, m, dimension;
  };
  for (const auto& [n, m, dimension] :
       {Case{300, 500, 128}, {65, 1, 128}, {1, 70, 128}, {2, 2, 4}, {4, 5, 8}, {130, 97, 30}}) {
    const testing::TwoSets sets(n, m, dimension, 100 + n);
    const auto expected = search_twice(sets.a, sets.b, static_cast<int>(dimension));
    EXPECT_FALSE(expected.empty());
    EXPECT_EQ(search_by_products(sets.a, sets.b, static_cast<int>(dimension), find), expected) << n << " x " << m;
  }
}

// Six copies of a row here and there: four products do not tell, so its queries are searched in full.
TEST(ProductSearch, MoreTiesThanProductsAreSearchedInFull) {
  constexpr size_t kWide = 128;
  testing::TwoSets sets(300, 300, kWide, 5);
  for (const size_t copy : {40, 80, 120, 160, 200}) {
    std::copy_n(sets.a.data(), kWide, sets.b.data() + copy * kWide);
    std::copy_n(sets.b.data() + 3 * kWide, kWide, sets.a.data() + copy * kWide);
  }
  EXPECT_EQ(search_by_products(sets.a, sets.b, kWide, find), search_twice(sets.a, sets.b, kWide));
}

// Rows ever closer to each other, until neighbours differ by less than float32 tells.
TEST(ProductSearch, NearTiesAreDecidedInDoubleOrLeftToOthers) {
  constexpr size_t kRows = 400, kWide = 128;
  for (const double apart : {1e-1, 2e-2, 3e-3, 1e-4}) {
    RngStream rng(RngKey(3, Draw::kPairs));
    std::vector<float> a(kRows * kWide), b(kRows * kWide);
    for (auto* rows : {&a, &b}) {
      for (size_t i = 0; i < kRows; ++i) {
        for (size_t k = 0; k < kWide; ++k) {
          (*rows)[i * kWide + k] = static_cast<float>((k < 64 ? 1.0 : -1.0) / std::sqrt(128.0) + apart * rng.normal());
        }
      }
    }
    testing::to_unit(a, kWide);
    testing::to_unit(b, kWide);
    const auto found = search_by_products(a, b, kWide, find);
    if (found) {
      EXPECT_EQ(*found, search_twice(a, b, kWide)) << apart;
    }
    EXPECT_EQ(found.has_value(), apart > 1e-2) << apart;
  }
}

TEST(ProductSearch, NormsThatDifferAreLeftToOthers) {
  testing::TwoSets sets(200, 200, 128, 9);
  for (float& v : sets.a) v *= 300;
  EXPECT_EQ(search_by_products(sets.a, sets.b, 128, find), search_twice(sets.a, sets.b, 128));
  for (size_t k = 0; k < 128; ++k) sets.b[k] *= 20;  // one row of another norm
  EXPECT_FALSE(search_by_products(sets.a, sets.b, 128, find));
  EXPECT_FALSE(search_by_products(std::vector<float>(640), sets.b, 128, find)) << "all zero";
  sets.b[0] = NAN;
  EXPECT_FALSE(search_by_products(sets.a, sets.b, 128, find));
}

TEST(ProductSearch, AGpuIsAskedOnlyWhereItMayBe) {
  const testing::TwoSets sets(1100, 1000, 16, 2);
  const auto expected = search_twice(sets.a, sets.b, 16);
  allow_matching_on_gpu(false);
  EXPECT_FALSE(search_on_gpu(sets.a, sets.b, 16));
  EXPECT_EQ(search_mutual(sets.a, sets.b, 16), expected);
  allow_matching_on_gpu(true);
  EXPECT_EQ(search_on_gpu(sets.a, sets.b, 16).has_value(), problem_of_matching_on_gpu().empty());
  EXPECT_EQ(search_mutual(sets.a, sets.b, 16), expected);
}

}  // namespace
}  // namespace adasample
