// SPDX-License-Identifier: Apache-2.0
// Portable grey maps: P5 (binary, 8 or 16 bit) and P2 (text), values scaled to 0..255.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>

#include "adasample/image/image.h"

namespace adasample {

// Throws Error, naming `name`, on anything but a complete image of at least one pixel. Bytes behind it are ignored.
GrayImage parse_pgm(std::span<const uint8_t> file, const std::string& name);
GrayImage read_pgm(const std::filesystem::path& path);

// Width and height of any portable map, P1 to P6; throws Error as above.
std::pair<int, int> parse_pnm_size(std::span<const uint8_t> file, const std::string& name);

// Binary, 8 bit, rounded and clipped; all or nothing.
std::string encode_pgm(const GrayImage& image);
void write_pgm(const std::filesystem::path& path, const GrayImage& image);

}  // namespace adasample
