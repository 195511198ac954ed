// SPDX-License-Identifier: Apache-2.0
// How large a picture may be, asked of what its header says before memory is taken for it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "adasample/base/error.h"

namespace adasample {

inline constexpr uint64_t kMostPicturePixels = uint64_t{1} << 28;  // 16k x 16k: a gigabyte as floats

// Throws Error "[module] name: ..".
inline void check_picture_size(uint64_t width, uint64_t height, std::string_view module, const std::string& name) {
  ADA_CHECK(height == 0 || width <= kMostPicturePixels / height, "[{}] {}: {} x {} pixels, expected {} at most", module,
            name, width, height, kMostPicturePixels);
}

}  // namespace adasample
