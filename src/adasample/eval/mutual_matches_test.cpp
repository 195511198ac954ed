// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/mutual_matches.h"

#include <gtest/gtest.h>

#include <vector>

#include "adasample/base/rng.h"

namespace adasample {
namespace {

TEST(MutualMatches, BothMustChooseEachOther) {
  // On a line: 0 chooses 1.5, which chooses 2; 10 and 11 choose each other; 20 is chosen by nobody.
  const std::vector<float> a = {0, 2, 10}, b = {1.5f, 11, 20};
  EXPECT_EQ(mutual_matches(a, b, 1), (std::vector<Match>{{1, 0}, {2, 1}}));
}

TEST(MutualMatches, TheFirstOfEqualsAndEmptySides) {
  const std::vector<float> twins = {3, 4, 3, 4, 3, 4}, one = {3, 4}, none;
  EXPECT_EQ(mutual_matches(twins, one, 2), (std::vector<Match>{{0, 0}}));
  EXPECT_EQ(mutual_matches(one, twins, 2), (std::vector<Match>{{0, 0}}));
  EXPECT_TRUE(mutual_matches(none, one, 2).empty());
  EXPECT_TRUE(mutual_matches(one, none, 2).empty());
}

// 100 against 70 rows of 5 numbers, more than one block, against a plain double loop.
TEST(MutualMatches, AsAPlainLoopFindsThem) {
  RngStream rng(RngKey(11, Draw::kPairs));
  constexpr size_t kA = 100, kB = 70, kWide = 5;
  std::vector<float> a(kA * kWide), b(kB * kWide);
  for (float& v : a) v = static_cast<float>(rng.normal());
  for (float& v : b) v = static_cast<float>(rng.normal());
  const auto distance = [&](size_t i, size_t j) {
    double sum = 0;
    for (size_t d = 0; d < kWide; ++d) {
      const double difference = double{a[i * kWide + d]} - double{b[j * kWide + d]};
      sum += difference * difference;
    }
    return sum;
  };
  std::vector<Match> expected;
  for (size_t i = 0; i < kA; ++i) {
    for (size_t j = 0; j < kB; ++j) {
      bool best = true;
      for (size_t k = 0; k < kB; ++k) best = best && distance(i, j) <= distance(i, k);
      for (size_t k = 0; k < kA; ++k) best = best && distance(i, j) <= distance(k, j);
      if (best) expected.push_back({static_cast<int64_t>(i), static_cast<int64_t>(j)});
    }
  }
  EXPECT_GT(expected.size(), 10u);
  EXPECT_EQ(mutual_matches(a, b, kWide), expected);
}

}  // namespace
}  // namespace adasample
