// SPDX-License-Identifier: Apache-2.0
// Random numbers for the tests of the kernels.
#pragma once

#include <cstdint>
#include <vector>

#include "adasample/base/random/rng.h"

namespace adasample::simd {

inline std::vector<float> normal(size_t count, float deviation, uint64_t seed) {
  RngStream rng(RngKey(seed, Draw::kView));
  std::vector<float> values(count);
  for (float& v : values) v = deviation * static_cast<float>(rng.normal());
  return values;
}

}  // namespace adasample::simd
