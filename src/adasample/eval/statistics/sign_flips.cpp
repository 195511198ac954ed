// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/statistics/sign_flips.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "adasample/base/error.h"
#include "adasample/base/parallel.h"
#include "adasample/base/random/rng.h"

namespace adasample {
namespace {

struct FlipCounts {
  int64_t as_small = 0, as_large = 0, as_far = 0;
};

class FlipCounter {
 public:
  // rounding: how far equal sums may lie apart.
  FlipCounter(double observed, double rounding) : observed_(observed), rounding_(rounding) {}

  void add(double sum, FlipCounts& counts) const {
    counts.as_small += sum <= observed_ + rounding_ ? 1 : 0;
    counts.as_large += sum >= observed_ - rounding_ ? 1 : 0;
    counts.as_far += std::abs(sum) >= std::abs(observed_) - rounding_ ? 1 : 0;
  }

 private:
  double observed_, rounding_;
};

// The sums of all sign patterns of the differences.
std::vector<double> flipped_sums(std::span<const double> differences) {
  std::vector<double> sums = {0};
  for (const double difference : differences) {
    const size_t before = sums.size();
    for (size_t i = 0; i < before; ++i) {
      sums.push_back(sums[i] - difference);
      sums[i] += difference;
    }
  }
  return sums;
}

// Sums of the first half and of the second are added in every combination: no sum has more terms than there are pairs.
FlipCounts count_all(std::span<const double> differences, const FlipCounter& counter) {
  const size_t half = differences.size() / 2;
  const std::vector<double> first = flipped_sums(differences.first(half)),
                            second = flipped_sums(differences.subspan(half));
  FlipCounts counts;
  for (const double x : first) {
    for (const double y : second) counter.add(x + y, counts);
  }
  return counts;
}

// The pattern found is one of them: p is never 0.
FlipCounts count_random(std::span<const double> differences, const FlipCounter& counter, uint64_t seed) {
  constexpr int64_t kPatterns = 500;  // in a chunk
  static_assert(kRandomFlips % kPatterns == 0);
  const RngKey key(seed, Draw::kSignFlips);
  std::vector<FlipCounts> chunks(static_cast<size_t>(kRandomFlips / kPatterns));
  parallel_for(std::ssize(chunks), [&](int64_t chunk) {
    for (int64_t pattern = chunk * kPatterns; pattern < (chunk + 1) * kPatterns; ++pattern) {
      RngStream rng(key.at(static_cast<uint64_t>(pattern)));
      double sum = 0;
      uint64_t signs = 0;
      for (size_t i = 0; i < differences.size(); ++i) {
        if (i % 64 == 0) signs = rng.bits();
        sum += (signs >> (i % 64) & 1) != 0 ? differences[i] : -differences[i];
      }
      counter.add(sum, chunks[static_cast<size_t>(chunk)]);
    }
  });
  FlipCounts counts = {1, 1, 1};
  for (const FlipCounts& chunk : chunks) {
    counts.as_small += chunk.as_small;
    counts.as_large += chunk.as_large;
    counts.as_far += chunk.as_far;
  }
  return counts;
}

}  // namespace

double smallest_flip_p(int64_t pairs) {
  if (pairs > kMostExactFlips) return 1.0 / (kRandomFlips + 1);
  return std::min(1.0, std::ldexp(2.0, -static_cast<int>(pairs)));
}

FlipTest flip_test(std::span<const double> a, std::span<const double> b, uint64_t seed) {
  ADA_CHECK(!a.empty() && a.size() == b.size(), "[compare] expected as many values on both sides, found {} and {}",
            a.size(), b.size());
  std::vector<double> differences(a.size());
  double magnitude = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    differences[i] = a[i] - b[i];
    ADA_CHECK(std::isfinite(differences[i]), "[compare] pair {}: expected two finite numbers, found {} and {}", i + 1,
              a[i], b[i]);
    magnitude += std::abs(a[i]) + std::abs(b[i]);
  }
  const double observed = std::accumulate(differences.begin(), differences.end(), 0.0);
  // Values, differences and each of 20 sums are rounded by half an epsilon of the values' sum at most: 22 for two sums.
  const FlipCounter counter(observed, 32 * std::numeric_limits<double>::epsilon() * magnitude);

  FlipTest test{.pairs = std::ssize(differences), .difference = observed / static_cast<double>(differences.size())};
  test.exact = test.pairs <= kMostExactFlips;
  test.smallest_p = smallest_flip_p(test.pairs);
  const FlipCounts counts = test.exact ? count_all(differences, counter) : count_random(differences, counter, seed);
  const double all = test.exact ? std::ldexp(1.0, static_cast<int>(test.pairs)) : 1.0 + kRandomFlips;
  test.p_smaller = static_cast<double>(counts.as_small) / all;
  test.p_larger = static_cast<double>(counts.as_large) / all;
  test.p_two_sided = static_cast<double>(counts.as_far) / all;
  return test;
}

}  // namespace adasample
