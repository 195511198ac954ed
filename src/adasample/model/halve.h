// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace adasample {

// A patch of 2 size x 2 size pixels at half its width: (a + b + c + d + 2) >> 2 of each 2x2 block, which is what
// OpenCV's INTER_LINEAR gives for an exact factor of two.
inline void halve_patch(const uint8_t* in, uint8_t* out, int size) {
  for (int y = 0; y < size; ++y) {
    for (int x = 0; x < size; ++x) {
      const uint8_t* p = in + 4 * y * size + 2 * x;
      out[y * size + x] = static_cast<uint8_t>((p[0] + p[1] + p[2 * size] + p[2 * size + 1] + 2) >> 2);
    }
  }
}

}  // namespace adasample
