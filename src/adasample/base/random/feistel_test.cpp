// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/random/feistel.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>
#include <vector>

#include "tests/support/expect_error.h"

namespace adasample {
namespace {

RngKey key_of(uint64_t number) { return RngKey(21, Draw::kClasses).at(number); }

TEST(Feistel, IsAPermutation) {
  std::vector<uint64_t> sizes = {97, 101, 127, 128, 1000, 1009, 4095, 4096, 4097, 65'537, 99'991, 100'000};
  for (uint64_t n = 1; n <= 70; ++n) sizes.push_back(n);
  for (const uint64_t n : sizes) {
    const FeistelPermutation permutation(n, key_of(n));
    EXPECT_EQ(permutation.size(), n);
    std::vector<bool> hit(n);
    for (uint64_t x = 0; x < n; ++x) {
      const uint64_t y = permutation.image(x);
      ASSERT_LT(y, n);
      ASSERT_FALSE(hit[y]) << "n = " << n << ": " << y << " occurs twice";
      hit[y] = true;
    }
  }
}

TEST(Feistel, LargeSizes) {
  for (const uint64_t n : {uint64_t{1} << 40, (uint64_t{1} << 50) + 3}) {
    const FeistelPermutation permutation(n, key_of(1));
    for (uint64_t x = 0; x < 1000; ++x) EXPECT_LT(permutation.image(n - 1 - x), n);
  }
}

TEST(Feistel, AFunctionOfKeyAndSize) {
  const FeistelPermutation a(1000, key_of(1)), b(1000, key_of(2));
  int same = 0;
  for (uint64_t x = 0; x < 1000; ++x) {
    EXPECT_EQ(a.image(x), FeistelPermutation(1000, key_of(1)).image(x));
    same += a.image(x) == b.image(x) ? 1 : 0;
  }
  EXPECT_LE(same, 6);  // two random permutations agree in one place on average
}

// The first draw and the first ordered pair of draws, over many keys; fixed keys, bounds at the 0.1 % tail.
TEST(Feistel, FirstDrawsAreUniform) {
  const std::map<uint64_t, std::pair<double, double>> bounds = {
      // n: chi-square bounds for n - 1 and for n (n - 1) - 1 degrees of freedom
      {2, {10.83, 10.83}},
      {3, {13.82, 20.52}},
      {5, {18.47, 43.82}},
      {10, {27.88, 135.98}},
      {13, {32.91, 215.97}}};
  for (const auto& [n, bound] : bounds) {
    constexpr uint64_t kKeys = 40'000;
    std::vector<double> first(n);
    std::map<std::pair<uint64_t, uint64_t>, double> both;
    for (uint64_t number = 0; number < kKeys; ++number) {
      const FeistelPermutation permutation(n, key_of(number));
      ++first[permutation.image(0)];
      ++both[{permutation.image(0), permutation.image(1)}];
    }
    double chi_first = 0, chi_both = 0;
    const double expected_first = static_cast<double>(kKeys) / static_cast<double>(n);
    const double expected_both = expected_first / static_cast<double>(n - 1);
    for (uint64_t a = 0; a < n; ++a) {
      chi_first += (first[a] - expected_first) * (first[a] - expected_first) / expected_first;
      for (uint64_t b = 0; b < n; ++b) {
        const double found = both[{a, b}];
        if (a != b) chi_both += (found - expected_both) * (found - expected_both) / expected_both;
      }
    }
    EXPECT_LT(chi_first, bound.first) << "n = " << n;
    EXPECT_LT(chi_both, bound.second) << "n = " << n;
  }
}

TEST(Feistel, EmptySetIsABug) {
  testing::expect_error([] { FeistelPermutation(0, key_of(0)); }, "n >= 1");
}

}  // namespace
}  // namespace adasample
