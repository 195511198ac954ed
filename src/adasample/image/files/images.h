// SPDX-License-Identifier: Apache-2.0
// Photographs of any kind as grey images: JPEG, PNG, PGM and BMP are read here, other formats by OpenCV where the
// program has it. Colour becomes grey, 16 bits become 0..255 with their fractions, EXIF orientation is applied.
#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "adasample/image/image.h"

namespace adasample {

// Which files are taken for pictures, by their names alone.
inline constexpr std::array kPictureExtensions = {".jpg", ".jpeg", ".png",  ".pgm", ".ppm", ".pnm",
                                                  ".pbm", ".tif",  ".tiff", ".bmp", ".webp"};

// In letters of either case.
inline bool has_picture_extension(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::find(kPictureExtensions.begin(), kPictureExtensions.end(), extension) != kPictureExtensions.end();
}

enum class PixelOrder {
  kUpright,   // as people look at the picture
  kAsStored,  // as the file has the pixels, whatever EXIF says: so COLMAP and hloc count them
};

// What the bytes are decides, not the file's name. Throws Error, naming the file, when it is no picture that can be
// read.
GrayImage read_image(const std::filesystem::path& path, PixelOrder order = PixelOrder::kUpright);
GrayImage parse_image(std::span<const uint8_t> file, const std::string& name, PixelOrder order = PixelOrder::kUpright);

// Whether the two orders differ.
bool is_turned(const std::filesystem::path& path);

// Other formats: what reads them, to be set by whoever has a reader (register_opencv_pictures()).
using PictureDecoder = GrayImage (*)(std::span<const uint8_t> file, const std::string& name, PixelOrder order);
void set_decoder_of_other_formats(PictureDecoder decoder);
// OpenCV's, where the program is built with it; else nothing.
void register_opencv_pictures();
// What OpenCV logs, and what it writes to std::cerr while it decodes, goes nowhere: for programs, not for libraries. To
// be called once.
void silence_opencv();
// Whether the file's first bytes say that it is read here, or that it cannot be read at all.
bool is_own_format(const std::filesystem::path& path);

// The pictures below `folder` by their extensions, hidden ones left out, sorted by path; `recursive` looks into
// subfolders too. Throws Error when there is none.
std::vector<std::filesystem::path> list_images(const std::filesystem::path& folder, bool recursive = true);
// All of them by their paths below it.
std::vector<std::string> picture_names(const std::filesystem::path& folder);

}  // namespace adasample
