// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/statistics/bootstrap.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "adasample/base/parallel.h"
#include "adasample/base/random/rng.h"
#include "tests/support/expect_error.h"

namespace adasample {
namespace {

using testing::expect_error;

TEST(Bootstrap, ConstantDifferenceHasNoWidth) {
  const std::vector<double> a = {1, 2, 3}, b = {1.5, 2.5, 3.5};
  const BootstrapInterval interval = paired_bootstrap(a, b);
  EXPECT_EQ(interval.difference, -0.5);
  EXPECT_EQ(interval.low, -0.5);
  EXPECT_EQ(interval.high, -0.5);
  EXPECT_EQ(interval.share_smaller, 1);
  EXPECT_EQ(paired_bootstrap(b, a).share_smaller, 0);
  EXPECT_EQ(paired_bootstrap(a, a).share_smaller, 0);  // equal is not smaller
}

// Two pairs of differences -1 and +1: the mean of a resample is -1, 0 or 1 with probabilities 1/4, 1/2, 1/4. A share of
// 20000 resamples is within 0.01 of its probability with odds beyond 100 to 1.
TEST(Bootstrap, ResamplesAreDrawnWithReplacement) {
  const std::vector<double> a = {0, 1}, b = {1, 0};
  const BootstrapInterval interval = paired_bootstrap(a, b, {.resamples = 20000, .level = 0.4});
  EXPECT_EQ(interval.difference, 0);
  EXPECT_EQ(interval.low, 0);
  EXPECT_EQ(interval.high, 0);
  EXPECT_NEAR(interval.share_smaller, 0.25, 0.01);
  const BootstrapInterval wide = paired_bootstrap(a, b, {.resamples = 20000, .level = 0.6});
  EXPECT_EQ(wide.low, -1);
  EXPECT_EQ(wide.high, 1);
}

// The interval of a mean of n normal differences is about +-1.96 / sqrt(n) wide.
TEST(Bootstrap, WidthIsThatOfTheMean) {
  RngStream rng(RngKey(3, Draw::kPairs));
  std::vector<double> a(400), b(400);
  for (double& value : a) value = rng.normal();
  const BootstrapInterval interval = paired_bootstrap(a, b, {.resamples = 4000});
  EXPECT_NEAR(interval.high - interval.low, 2 * 1.96 / std::sqrt(400), 0.02);
  EXPECT_NEAR((interval.high + interval.low) / 2, interval.difference, 0.01);
}

TEST(Bootstrap, DependsOnTheSeedAloneNotOnThreads) {
  const std::vector<double> a = {3, 1, 4, 1, 5, 9, 2, 6}, b = {2, 7, 1, 8, 2, 8, 1, 8};
  const int before = thread_count();
  set_thread_count(1);
  const BootstrapInterval one = paired_bootstrap(a, b, {.seed = 7});
  set_thread_count(4);
  const BootstrapInterval four = paired_bootstrap(a, b, {.seed = 7});
  set_thread_count(before);
  EXPECT_EQ(one.low, four.low);
  EXPECT_EQ(one.high, four.high);
  EXPECT_EQ(one.share_smaller, four.share_smaller);
  EXPECT_NE(one.share_smaller, paired_bootstrap(a, b, {.seed = 8}).share_smaller);
}

TEST(Bootstrap, BadInput) {
  const std::vector<double> two = {1, 2}, three = {1, 2, 3}, bad = {1, NAN};
  expect_error([&] { paired_bootstrap(two, three); }, "[compare]", "2 and 3");
  const std::vector<double> one = {1};
  expect_error([&] { paired_bootstrap(one, one); }, "[compare]", "two pairs of values or more, found 1 and 1");
  expect_error([&] { paired_bootstrap(two, bad); }, "[compare]", "pair 2");
  expect_error([&] { paired_bootstrap(two, two, {.resamples = 99}); }, "resamples = 99");
  expect_error([&] { paired_bootstrap(two, two, {.level = 1}); }, "level = 1");
}

}  // namespace
}  // namespace adasample
