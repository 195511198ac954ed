// SPDX-License-Identifier: Apache-2.0
// 8-bit grey PNG, written through libpng.
#pragma once

#include <filesystem>
#include <string>

#include "adasample/data/image.h"

namespace adasample {

// The bytes of the file; pixels are rounded and clipped. Needs at least one pixel.
std::string encode_png(const GrayImage& image);
void write_png(const std::filesystem::path& path, const GrayImage& image);  // all or nothing

}  // namespace adasample
