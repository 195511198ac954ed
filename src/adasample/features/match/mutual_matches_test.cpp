// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/match/mutual_matches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "adasample/base/random/rng.h"
#include "tests/support/expect_error.h"

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

TEST(MutualMatches, RatedByTheNextBestOfEitherSide) {
  // 0 and 1 choose each other. The next best for 0 is 5, at 5; for 1 it is 3, at 2: the ratio is 1 over 2.
  const std::vector<float> a = {0, 3}, b = {1, 5};
  const auto rated = rated_matches(a, b, 1);
  ASSERT_EQ(rated.size(), 1u);
  EXPECT_EQ(rated[0].match, (Match{0, 0}));
  EXPECT_EQ(rated[0].distance, 1);
  EXPECT_EQ(rated[0].ratio, 0.5);
  EXPECT_EQ(rated_matches(b, a, 1).at(0).ratio, 0.5) << "both ways alike";

  const std::vector<float> twins = {2, 2}, one = {2}, far = {7}, none;
  EXPECT_EQ(rated_matches(twins, one, 1).at(0).ratio, 1) << "a tie at distance 0";
  EXPECT_EQ(rated_matches(twins, far, 1).at(0).ratio, 1) << "a tie";
  EXPECT_EQ(rated_matches(one, far, 1).at(0).ratio, 0) << "nobody else to choose";
  EXPECT_TRUE(rated_matches(none, one, 1).empty());
  EXPECT_TRUE(rated_matches(one, none, 1).empty());
}

TEST(MutualMatches, LimitsKeepWhatIsOnThem) {
  const RatedMatch match = {.match = {}, .distance = 0.5, .ratio = 0.8};
  EXPECT_TRUE(MatchLimits().keep(match));
  EXPECT_TRUE((MatchLimits{.ratio = 0.8, .max_distance = 0.5}.keep(match)));
  EXPECT_FALSE((MatchLimits{.ratio = 0.79}.keep(match)));
  EXPECT_FALSE((MatchLimits{.max_distance = 0.49}.keep(match)));
  const auto refuses = [](const MatchLimits& limits, const char* why) {
    testing::expect_error([&] { limits.validate(); }, why);
  };
  refuses({.ratio = 0}, "ratio = 0, must be in (0, 1]");
  refuses({.ratio = 1.01}, "ratio = 1.01");
  refuses({.ratio = NAN}, "ratio = nan");
  refuses({.max_distance = 0}, "max_distance = 0, must be > 0");
  EXPECT_NO_THROW(MatchLimits().validate());
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

  const auto rated = rated_matches(a, b, kWide);
  ASSERT_EQ(rated.size(), expected.size());
  for (size_t m = 0; m < rated.size(); ++m) {
    EXPECT_EQ(rated[m].match, expected[m]);
    const auto i = static_cast<size_t>(expected[m].first), j = static_cast<size_t>(expected[m].second);
    double next = INFINITY;
    for (size_t k = 0; k < kB; ++k) next = k == j ? next : std::min(next, distance(i, k));
    for (size_t k = 0; k < kA; ++k) next = k == i ? next : std::min(next, distance(k, j));
    EXPECT_NEAR(rated[m].distance, std::sqrt(distance(i, j)), 1e-12);
    EXPECT_NEAR(rated[m].ratio, std::sqrt(distance(i, j) / next), 1e-12);
  }
}

}  // namespace
}  // namespace adasample
