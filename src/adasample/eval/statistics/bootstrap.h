// SPDX-License-Identifier: Apache-2.0
// How sure is a mean difference over sequences? The bootstrap-t: sequences are drawn again with replacement, and the t
// of each draw, (mean of the draw - mean found) / (standard error of the draw), takes the place of Student's:
//   [mean - t_high s / sqrt(n), mean - t_low s / sqrt(n)], t_low and t_high the quantiles (1 -+ level) / 2 of the draws
// Percentiles of the draws' means would be simpler, but for a dozen sequences far too narrow (bootstrap_test.cpp).
#pragma once

#include <cstdint>
#include <span>

namespace adasample {

struct BootstrapOptions {
  int64_t resamples = 10000;
  double level = 0.95;  // of the interval
  uint64_t seed = 0;

  void validate() const;
};

struct BootstrapInterval {
  double difference = 0;     // mean of the differences as measured
  double low = 0, high = 0;  // infinite where there are too few differences for a bound
};

// differences[i]: of sequence i. A resample of equal values has no deviation; its t is then infinite, on the side of
// its mean, and 0 where that is the mean found. So two or three differences have no bound at 95 %, and say so, while
// leaving such resamples out would make their interval too narrow. Equal differences (but for rounding) have an
// interval without width. Every resample is a function of seed and its number. Throws Error when there are fewer than
// two differences or one is not finite.
BootstrapInterval bootstrap_t(std::span<const double> differences, const BootstrapOptions& options = {});

}  // namespace adasample
