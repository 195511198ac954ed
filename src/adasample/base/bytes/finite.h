// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>

namespace adasample {

// Where the first NaN or infinity of some floats stands; their count where there is none. At the speed of memory:
// weights are looked through in every iteration of a training.
inline size_t first_not_finite(std::span<const float> values) {
  constexpr uint32_t kExponent = 0x7f800000;
  constexpr size_t kAtOnce = 1024;
  const float* data = values.data();  // an index of a span is checked, one by one
  const auto strange = [data](size_t i) { return (std::bit_cast<uint32_t>(data[i]) & kExponent) == kExponent; };
  for (size_t begin = 0; begin < values.size(); begin += kAtOnce) {
    const size_t end = std::min(values.size(), begin + kAtOnce);
    uint32_t any = 0;
    for (size_t i = begin; i < end; ++i) any |= strange(i) ? 1u : 0u;
    for (size_t i = begin; any != 0; ++i) {
      if (strange(i)) return i;
    }
  }
  return values.size();
}

inline bool all_finite(std::span<const float> values) { return first_not_finite(values) == values.size(); }

}  // namespace adasample
