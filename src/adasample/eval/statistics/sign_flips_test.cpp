// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/statistics/sign_flips.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "adasample/base/parallel.h"
#include "adasample/base/random/rng.h"
#include "tests/support/expect_error.h"

namespace adasample {
namespace {

using testing::expect_error;
using Values = std::vector<double>;

// Five differences of one sign, by hand: one pattern of 32 is as small, and two as far from 0.
TEST(FlipTest, AllOfOneSign) {
  const FlipTest test = flip_test(Values{1, 2, 3, 4, 5}, Values{2, 4, 6, 8, 10});
  EXPECT_EQ(test.pairs, 5);
  EXPECT_EQ(test.difference, -3);
  EXPECT_EQ(test.p_smaller, 1.0 / 32);
  EXPECT_EQ(test.p_larger, 1);
  EXPECT_EQ(test.p_two_sided, 2.0 / 32);
  EXPECT_EQ(test.smallest_p, 2.0 / 32);
  EXPECT_TRUE(test.exact);
}

// Differences 1, 2 and -3 add up to 0. The sums of the eight patterns are 6, 4, 2, 0, 0, -2, -4, -6.
TEST(FlipTest, ByHand) {
  const FlipTest zero = flip_test(Values{1, 2, 0}, Values{0, 0, 3});
  EXPECT_EQ(zero.difference, 0);
  EXPECT_EQ(zero.p_smaller, 5.0 / 8);
  EXPECT_EQ(zero.p_larger, 5.0 / 8);
  EXPECT_EQ(zero.p_two_sided, 1);
  const FlipTest four = flip_test(Values{-1, 2, 3}, Values{0, 0, 0});
  EXPECT_EQ(four.p_smaller, 7.0 / 8);
  EXPECT_EQ(four.p_larger, 2.0 / 8);
  EXPECT_EQ(four.p_two_sided, 4.0 / 8);
}

// 0.1 + 0.2 and 0.3 are equal but for rounding: with differences 0.1, 0.2 and -0.3 two patterns have the sum 0.
TEST(FlipTest, SumsThatAreEqualButForRoundingAreTies) {
  const FlipTest test = flip_test(Values{0.1, 0.2, 0}, Values{0, 0, 0.3});
  EXPECT_EQ(test.p_smaller, 5.0 / 8);
  EXPECT_EQ(test.p_larger, 5.0 / 8);
  EXPECT_EQ(test.p_two_sided, 1);
  // And what differs by more than that is none: 1e-9 of the values.
  const FlipTest near = flip_test(Values{1, 1 + 1e-9, 0}, Values{0, 0, 2});
  EXPECT_EQ(near.p_larger, 4.0 / 8);
  EXPECT_EQ(near.p_smaller, 5.0 / 8);
}

TEST(FlipTest, PairsThatDoNotDifferSayNothing) {
  const FlipTest same = flip_test(Values{1, 2, 3}, Values{1, 2, 3});
  EXPECT_EQ(same.p_smaller, 1);
  EXPECT_EQ(same.p_larger, 1);
  EXPECT_EQ(same.p_two_sided, 1);
  const FlipTest without = flip_test(Values{1, 2, 3}, Values{2, 4, 7}),
                 with = flip_test(Values{1, 5, 2, 3, 5}, Values{2, 5, 4, 7, 5});
  EXPECT_EQ(with.p_smaller, without.p_smaller);
  EXPECT_EQ(with.p_two_sided, without.p_two_sided);
  EXPECT_EQ(flip_test(Values{1}, Values{2}).p_two_sided, 1);
  EXPECT_EQ(flip_test(Values{1}, Values{2}).p_smaller, 0.5);
}

TEST(FlipTest, IsTheCountOfAllPatterns) {
  RngStream rng(RngKey(5, Draw::kPairs));
  for (size_t pairs = 1; pairs <= 11; ++pairs) {
    for (const int64_t kinds : {3, 1000}) {  // few values: many ties
      Values a(pairs), b(pairs);
      for (double& v : a) v = static_cast<double>(rng.index(kinds));
      for (double& v : b) v = static_cast<double>(rng.index(kinds));
      const auto sum = [&](uint32_t signs) {
        double value = 0;  // of whole numbers: exact
        for (size_t i = 0; i < pairs; ++i) value += (signs >> i & 1) != 0 ? b[i] - a[i] : a[i] - b[i];
        return value;
      };
      int small = 0, large = 0, far = 0;
      for (uint32_t signs = 0; signs < 1u << pairs; ++signs) {
        small += sum(signs) <= sum(0) ? 1 : 0;
        large += sum(signs) >= sum(0) ? 1 : 0;
        far += std::abs(sum(signs)) >= std::abs(sum(0)) ? 1 : 0;
      }
      const FlipTest test = flip_test(a, b);
      const double all = std::ldexp(1.0, static_cast<int>(pairs));
      EXPECT_EQ(test.p_smaller, small / all);
      EXPECT_EQ(test.p_larger, large / all);
      EXPECT_EQ(test.p_two_sided, far / all);
      EXPECT_DOUBLE_EQ(test.difference, sum(0) / static_cast<double>(pairs));
    }
  }
}

// Twenty pairs are counted, and the same ones with a 21st of no difference are drawn at random. The share of 100,000
// patterns is within 0.005 of p with odds beyond 1000 to 1: its deviation is sqrt(p (1 - p) / 100000) < 0.0016.
TEST(FlipTest, ManyPairsAreDrawnAtRandom) {
  RngStream rng(RngKey(6, Draw::kPairs));
  Values a(20), b(20);
  for (double& v : a) v = rng.normal() - 0.4;
  const FlipTest exact = flip_test(a, b);
  a.push_back(3);
  b.push_back(3);
  const FlipTest drawn = flip_test(a, b, 1);
  EXPECT_TRUE(exact.exact);
  EXPECT_FALSE(drawn.exact);
  EXPECT_NEAR(drawn.p_smaller, exact.p_smaller, 0.005);
  EXPECT_NEAR(drawn.p_larger, exact.p_larger, 0.005);
  EXPECT_NEAR(drawn.p_two_sided, exact.p_two_sided, 0.005);
  EXPECT_NE(drawn.p_two_sided, flip_test(a, b, 2).p_two_sided);
  const int before = thread_count();
  set_thread_count(3);
  EXPECT_EQ(drawn.p_two_sided, flip_test(a, b, 1).p_two_sided);
  set_thread_count(before);

  // Beyond 64 pairs the signs take more than a word. The one found counts, so p is never 0.
  const FlipTest certain = flip_test(Values(130, 1.0), Values(130, 2.0));
  EXPECT_EQ(certain.p_smaller, 1.0 / 100'001);
  EXPECT_EQ(certain.p_two_sided, certain.smallest_p);
  // A sign of its own for each: with those of the first 64 again, every sum would be 0. By the normal law P(sum <= 0)
  // is 0.535.
  Values half(128, 1.0);
  std::fill(half.begin() + 64, half.end(), -1.0);
  EXPECT_NEAR(flip_test(half, Values(128)).p_smaller, 0.535, 0.01);
}

TEST(FlipTest, SmallestP) {
  EXPECT_EQ(smallest_flip_p(1), 1);
  EXPECT_EQ(smallest_flip_p(3), 0.25);
  EXPECT_EQ(smallest_flip_p(6), 1.0 / 32);
  EXPECT_EQ(smallest_flip_p(20), std::ldexp(1.0, -19));
  EXPECT_EQ(smallest_flip_p(21), 1.0 / 100'001);
}

TEST(FlipTest, BadInput) {
  const Values none, one = {1}, two = {1, 2}, bad = {1, NAN}, infinite = {INFINITY, 1};
  expect_error([&] { flip_test(none, none); }, "[compare]", "0 and 0");
  expect_error([&] { flip_test(one, two); }, "[compare]", "1 and 2");
  expect_error([&] { flip_test(two, bad); }, "[compare]", "pair 2", "nan");
  expect_error([&] { flip_test(infinite, two); }, "[compare]", "pair 1");
}

}  // namespace
}  // namespace adasample
