// SPDX-License-Identifier: Apache-2.0
// PNG through libpng: read as grey whatever it holds, written as 8-bit grey.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "adasample/image/image.h"

namespace adasample {

// 8-bit grey comes as it is in the file, whatever gamma it states; fewer bits are spread to 0..255, 16 rounded to 8;
// colour becomes 0.299 R + 0.587 G + 0.114 B, rounded; transparency is ignored. Throws Error, naming `name`, on
// anything but a complete image of at most 2^28 pixels.
ByteImage parse_png(std::span<const uint8_t> file, const std::string& name);
ByteImage read_png(const std::filesystem::path& path);

// A photograph, with all the bits it has: 65535 of 16 bits is 255. Colour becomes grey as libpng does it, 0.299 R +
// 0.587 G + 0.114 B of linear light where the file states a gamma. Pixels as stored, whatever EXIF says of their
// orientation. Throws as parse_png does.
GrayImage parse_png_picture(std::span<const uint8_t> file, const std::string& name);

// The bytes of the file; pixels of a GrayImage are rounded and clipped. Needs at least one pixel.
std::string encode_png(const ByteImage& image);
std::string encode_png(const GrayImage& image);
void write_png(const std::filesystem::path& path, const GrayImage& image);  // all or nothing

}  // namespace adasample
