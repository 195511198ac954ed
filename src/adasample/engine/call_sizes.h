// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "adasample/base/error.h"

namespace adasample {

// What every engine asks of a call to describe(): patches of input x input bytes, or of twice that. Throws Error.
inline void check_sizes(std::span<const uint8_t> patches, int64_t count, int size, std::span<const float> out,
                        int input, int dimension) {
  const int64_t area = int64_t{size} * size;
  ADA_CHECK(size == input || size == 2 * input,
            "[engine] patches are {0}x{0}, the network reads {1}x{1} (or {2}x{2}, halved)", size, input, 2 * input);
  ADA_USAGE(count >= 0 && patches.size() == static_cast<size_t>(count * area),
            "[engine] {} patches of {}x{} are {} bytes, not {}", count, size, size, count * area, patches.size());
  ADA_USAGE(out.size() == static_cast<size_t>(count * dimension), "[engine] {} descriptors are {} numbers, not {}",
            count, count * dimension, out.size());
}

}  // namespace adasample
