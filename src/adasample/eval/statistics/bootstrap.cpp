// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/statistics/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "adasample/base/error.h"
#include "adasample/base/parallel.h"
#include "adasample/base/random/rng.h"

namespace adasample {
namespace {

constexpr int64_t kChunk = 256;  // resamples

// Between the two nearest of the sorted values.
double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

}  // namespace

void BootstrapOptions::validate() const {
  ADA_USAGE(resamples >= 100 && resamples <= 10'000'000, "BootstrapOptions::resamples = {}, must be 100 to 10,000,000",
            resamples);
  ADA_USAGE(level > 0 && level < 1, "BootstrapOptions::level = {}, must be between 0 and 1", level);
}

BootstrapInterval paired_bootstrap(std::span<const double> a, std::span<const double> b,
                                   const BootstrapOptions& options) {
  options.validate();
  ADA_CHECK(a.size() >= 2 && a.size() == b.size(), "[compare] expected two pairs of values or more, found {} and {}",
            a.size(), b.size());
  std::vector<double> differences(a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    differences[i] = a[i] - b[i];
    ADA_CHECK(!std::isnan(differences[i]), "[compare] pair {}: expected two numbers, found {} and {}", i + 1, a[i],
              b[i]);
  }
  const auto count = static_cast<double>(differences.size());
  std::vector<double> means(static_cast<size_t>(options.resamples));
  const RngKey key(options.seed, Draw::kBootstrap);
  parallel_for((options.resamples + kChunk - 1) / kChunk, [&](int64_t chunk) {
    for (int64_t r = chunk * kChunk; r < std::min(options.resamples, (chunk + 1) * kChunk); ++r) {
      RngStream rng(key.at(static_cast<uint64_t>(r)));
      double sum = 0;
      for (size_t i = 0; i < differences.size(); ++i) {
        sum += differences[static_cast<size_t>(rng.index(std::ssize(differences)))];
      }
      means[static_cast<size_t>(r)] = sum / count;
    }
  });
  std::sort(means.begin(), means.end());
  const auto smaller = std::lower_bound(means.begin(), means.end(), 0.0) - means.begin();
  return {.difference = std::accumulate(differences.begin(), differences.end(), 0.0) / count,
          .low = quantile(means, (1 - options.level) / 2),
          .high = quantile(means, (1 + options.level) / 2),
          .share_smaller = static_cast<double>(smaller) / static_cast<double>(options.resamples)};
}

}  // namespace adasample
