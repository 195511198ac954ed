// SPDX-License-Identifier: Apache-2.0
// A distance between descriptors in the plainest way, for comparing.
#pragma once

#include <cmath>
#include <span>

#include "adasample/features/match/norm.h"

namespace adasample::testing {

// In double, coordinate by coordinate, as cdist has it.
inline double naive_distance(Norm norm, std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double difference = double{a[i]} - double{b[i]};
    sum += norm == Norm::kL2 ? difference * difference : std::abs(difference);
  }
  return norm == Norm::kL2 ? std::sqrt(sum) : sum;
}

}  // namespace adasample::testing
