// SPDX-License-Identifier: Apache-2.0
// Seeds are fixed, so a statistical test either always passes or never; its bounds are the 0.1 % tails.
#include "adasample/base/random/rng.h"

#include <gtest/gtest.h>

#include <bit>
#include <set>
#include <vector>

namespace adasample {
namespace {

// Stored runs and stores depend on these; a change of the arithmetic must show here first.
TEST(Rng, KnownValues) {
  EXPECT_EQ(mix64(0), 0u);
  EXPECT_EQ(mix64(kRngGolden), 0xE220A8397B1DCDAFu);  // the first output of SplitMix64 seeded with 0
  EXPECT_EQ(RngKey(0, Draw::kClasses).bits(), 0x12C2C0A312A30281u);
  EXPECT_EQ(RngKey(1, Draw::kClasses).bits(), 0x6CD84FABDDD87D41u);
  EXPECT_EQ(RngKey(1, Draw::kPairs).at(2).at(3).bits(), 0x6334EA886B944D22u);
  EXPECT_EQ(RngStream(RngKey(7, Draw::kView)).bits(), 0x7902AB032B1F636Bu);
  EXPECT_EQ(RngStream(RngKey(7, Draw::kView)).uniform(), 0x1.e40aac0cac7d8p-2);
}

TEST(Rng, ADrawIsAFunctionOfItsName) {
  const RngKey key(5, Draw::kFlip);
  EXPECT_EQ(key.at(1).at(2).bits(), RngKey(5, Draw::kFlip).at(1).at(2).bits());
  EXPECT_NE(key.at(1).at(2).bits(), key.at(2).at(1).bits());
  EXPECT_NE(key.at(1).bits(), RngKey(5, Draw::kAnchor).at(1).bits());
  EXPECT_NE(key.at(1).bits(), RngKey(6, Draw::kFlip).at(1).bits());
  EXPECT_NE(key.at(0).bits(), key.bits());
  RngStream stream(key);
  stream.bits();
  EXPECT_EQ(stream.bits(), key.at(1).bits());
}

TEST(Rng, NeighbouringNamesDoNotCollide) {
  std::set<uint64_t> seen;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    for (uint64_t a = 0; a < 100; ++a) {
      for (uint64_t b = 0; b < 100; ++b) seen.insert(RngKey(seed, Draw::kClasses).at(a).at(b).bits());
    }
  }
  EXPECT_EQ(seen.size(), 100'000u);
}

// Flipping one bit of the seed or of a word flips every output bit with probability one half.
TEST(Rng, Avalanche) {
  constexpr int kTrials = 4000;
  for (const bool flip_seed : {true, false}) {
    std::vector<int> flips(64);
    for (uint64_t trial = 0; trial < kTrials; ++trial) {
      const uint64_t bit = uint64_t{1} << (trial % 64), word = trial / 64;
      const RngKey base = RngKey(9, Draw::kClasses).at(word);
      const RngKey changed =
          flip_seed ? RngKey(9 ^ bit, Draw::kClasses).at(word) : RngKey(9, Draw::kClasses).at(word ^ bit);
      for (uint64_t difference = base.bits() ^ changed.bits(); difference != 0; difference &= difference - 1) {
        ++flips[static_cast<size_t>(std::countr_zero(difference))];
      }
    }
    // 4.2 standard deviations of a binomial, the 0.1 % tail of the largest of 64.
    for (const int count : flips) EXPECT_NEAR(count, kTrials / 2, 4.2 * std::sqrt(kTrials / 4.0));
  }
}

double chi_square(const std::vector<int>& counts, double expected) {
  double sum = 0;
  for (const int count : counts) sum += (count - expected) * (count - expected) / expected;
  return sum;
}

TEST(Rng, UniformIsUniform) {
  constexpr int kDraws = 100'000;
  std::vector<int> bins(100), pairs(100);
  RngStream stream(RngKey(11, Draw::kClasses));
  double previous = stream.uniform();
  for (int i = 0; i < kDraws; ++i) {
    const double u = stream.uniform();
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    ++bins[static_cast<size_t>(u * 100)];
    ++pairs[static_cast<size_t>(u * 10) * 10 + static_cast<size_t>(previous * 10)];
    previous = u;
  }
  EXPECT_LT(chi_square(bins, kDraws / 100.0), 148.2);   // 99 degrees of freedom
  EXPECT_LT(chi_square(pairs, kDraws / 100.0), 148.2);  // neighbours are independent
}

TEST(Rng, IndexCoversItsRange) {
  RngStream stream(RngKey(12, Draw::kClasses));
  std::vector<int> counts(7);
  for (int i = 0; i < 70'000; ++i) ++counts.at(static_cast<size_t>(stream.index(7)));
  EXPECT_LT(chi_square(counts, 10'000), 22.5);  // 6 degrees of freedom
  for (int i = 0; i < 100; ++i) EXPECT_EQ(stream.index(1), 0);
}

TEST(Rng, UniformOverAnIntervalAndNormal) {
  RngStream stream(RngKey(13, Draw::kView));
  constexpr int kDraws = 100'000;
  double sum = 0, square = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double u = stream.uniform(-2, 3);
    ASSERT_GE(u, -2.0);
    ASSERT_LT(u, 3.0);
    const double n = stream.normal();
    ASSERT_TRUE(std::isfinite(n));
    sum += n;
    square += n * n;
  }
  EXPECT_NEAR(sum / kDraws, 0.0, 3.3 / std::sqrt(kDraws));
  EXPECT_NEAR(square / kDraws, 1.0, 3.3 * std::sqrt(2.0 / kDraws));
}

}  // namespace
}  // namespace adasample
