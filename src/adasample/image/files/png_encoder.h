// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace adasample {

// pixels: (height, width), 8-bit grey. The bytes of a PNG file. Throws Error when libpng refuses (beyond a million rows
// or columns).
std::string encode_gray_png(std::span<const uint8_t> pixels, int width, int height);

}  // namespace adasample
