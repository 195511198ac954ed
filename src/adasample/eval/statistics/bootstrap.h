// SPDX-License-Identifier: Apache-2.0
// How sure is a mean difference over sequences? The paired bootstrap: sequences are drawn again with replacement, both
// methods on the same draw, and the differences of the means give an interval.
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
  double difference = 0;     // mean of a - b as measured
  double low = 0, high = 0;  // percentiles (1 -+ level) / 2 of the resamples, interpolated linearly
  double share_smaller = 0;  // of the resamples in which a's mean is below b's
};

// a[i] and b[i] belong to the same sequence. Every resample is a function of seed and its number. Throws Error when the
// two differ in length, hold a NaN or are fewer than two: one pair's interval would have no width.
BootstrapInterval paired_bootstrap(std::span<const double> a, std::span<const double> b,
                                   const BootstrapOptions& options = {});

}  // namespace adasample
