// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/hpatches/lists/numpy_random.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace adasample {
namespace {

TEST(NumpyRandom, StreamOfTheMersenneTwister) {
  for (const uint32_t seed : {0u, 42u, 5489u, 4294967295u}) {
    NumpyRandom random(seed);
    std::mt19937 expected(seed);
    for (int i = 0; i < 5000; ++i) ASSERT_EQ(random.word(), expected()) << seed << " " << i;
  }
}

// numpy.random.seed(42); [numpy.random.randint(m + 1) for m in (0, 1, 9, 1999, 65535)] and again
TEST(NumpyRandom, RandintOfNumpy) {
  NumpyRandom random(42);
  std::vector<uint32_t> found;
  for (int i = 0; i < 2; ++i) {
    for (const uint32_t limit : {0u, 1u, 9u, 1999u, 65535u}) found.push_back(random.up_to(limit));
  }
  EXPECT_EQ(found, (std::vector<uint32_t>{0, 0, 3, 860, 38158, 0, 0, 7, 1724, 11284}));
}

TEST(NumpyRandom, FirstTwoOfAShuffle) {
  NumpyRandom random(7), plain(7);
  for (uint32_t n : {2u, 3u, 4u, 5u, 31u, 32u, 33u, 700u, 2000u, 2u}) {
    for (int repeat = 0; repeat < 20; ++repeat) {
      std::vector<uint32_t> entries(n);
      std::iota(entries.begin(), entries.end(), 0u);
      for (uint32_t i = n - 1; i >= 1; --i) std::swap(entries[i], entries[plain.up_to(i)]);
      const NumpyRandom::FirstTwo found = random.first_of_shuffle(n);
      ASSERT_EQ(found.first, entries[0]) << n;
      ASSERT_EQ(found.second, entries[1]) << n;
    }
  }
  EXPECT_EQ(random.word(), plain.word());  // as much was drawn
}

}  // namespace
}  // namespace adasample
