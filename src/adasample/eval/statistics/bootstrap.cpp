// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/statistics/bootstrap.h"

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

constexpr int64_t kChunk = 256;  // resamples

struct MeanAndError {
  double mean = 0, error = 0;  // of the mean
};

// `rounding`: values that lie no farther apart are equal.
MeanAndError mean_and_error(std::span<const double> values, double rounding) {
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  if (*most - *least <= rounding) return {mean, 0};
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, std::sqrt(squares / (count - 1) / count)};
}

double studentised(const MeanAndError& draw, double mean, double rounding) {
  if (draw.error > 0) return (draw.mean - mean) / draw.error;
  if (std::abs(draw.mean - mean) <= rounding) return 0;
  return draw.mean < mean ? -INFINITY : INFINITY;
}

}  // namespace

void BootstrapOptions::validate() const {
  ADA_USAGE(resamples >= 100 && resamples <= 10'000'000, "BootstrapOptions::resamples = {}, must be 100 to 10,000,000",
            resamples);
  ADA_USAGE(level > 0 && level < 1, "BootstrapOptions::level = {}, must be between 0 and 1", level);
}

BootstrapInterval bootstrap_t(std::span<const double> differences, const BootstrapOptions& options) {
  options.validate();
  ADA_CHECK(differences.size() >= 2, "[compare] expected two differences or more, found {}", differences.size());
  double largest = 0;
  for (size_t i = 0; i < differences.size(); ++i) {
    ADA_CHECK(std::isfinite(differences[i]), "[compare] difference {}: expected a finite number, found {}", i + 1,
              differences[i]);
    largest = std::max(largest, std::abs(differences[i]));
  }
  // A difference of decimal numbers a thousand times its size is rounded by about this much.
  const double rounding = 4096 * std::numeric_limits<double>::epsilon() * largest;
  const MeanAndError found = mean_and_error(differences, rounding);
  if (found.error == 0) return {found.mean, found.mean, found.mean};

  std::vector<double> draws(static_cast<size_t>(options.resamples));
  const RngKey key(options.seed, Draw::kBootstrap);
  parallel_for((options.resamples + kChunk - 1) / kChunk, [&](int64_t chunk) {
    std::vector<double> draw(differences.size());
    for (int64_t r = chunk * kChunk; r < std::min(options.resamples, (chunk + 1) * kChunk); ++r) {
      RngStream rng(key.at(static_cast<uint64_t>(r)));
      for (double& value : draw) value = differences[static_cast<size_t>(rng.index(std::ssize(differences)))];
      draws[static_cast<size_t>(r)] = studentised(mean_and_error(draw, rounding), found.mean, rounding);
    }
  });
  // As many draws lie outside on either side; no place between two draws, of which one may be infinite.
  const auto tail = static_cast<int64_t>((1 - options.level) / 2 * static_cast<double>(options.resamples));
  const auto at = [&](int64_t place) {
    std::nth_element(draws.begin(), draws.begin() + place, draws.end());
    return draws[static_cast<size_t>(place)];
  };
  const double t_low = at(tail), t_high = at(options.resamples - 1 - tail);
  return {found.mean, found.mean - t_high * found.error, found.mean - t_low * found.error};
}

}  // namespace adasample
