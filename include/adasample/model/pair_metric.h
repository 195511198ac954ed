// SPDX-License-Identifier: Apache-2.0
// How far apart two descriptors are, where that was learned with them (MatchNet) and is not Euclidean distance. It
// tells pairs apart, and no more: it obeys no triangle inequality, so that nothing can be searched by it.
#pragma once

#include <cstdint>
#include <span>

namespace adasample {

class PairMetric {
 public:
  virtual ~PairMetric() = default;

  // rows: float [n, dimension]. distances[i], of rows first[i] and second[i], in this order, is the logarithm of the
  // odds that they show different points: any finite number, 0 where both are as likely.
  virtual void measure(std::span<const float> rows, std::span<const int64_t> first, std::span<const int64_t> second,
                       std::span<double> distances) const = 0;
};

}  // namespace adasample
