// SPDX-License-Identifier: Apache-2.0
// Photographs of any kind as grey images. With OpenCV: everything it reads, colour turned to grey, 16 bit scaled to
// 0..255, EXIF orientation applied. Without: PGM files.
#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <string>
#include <vector>

#include "adasample/image/image.h"

namespace adasample {

// Which files are taken for pictures, by their names alone.
inline constexpr std::array kPictureExtensions = {".jpg", ".jpeg", ".png", ".pgm",  ".ppm", ".pnm",
                                                  ".tif", ".tiff", ".bmp", ".webp", ".jp2"};

// In letters of either case.
inline bool has_picture_extension(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::find(kPictureExtensions.begin(), kPictureExtensions.end(), extension) != kPictureExtensions.end();
}

// Throws Error, naming the file, when it cannot be read as a picture. The codecs' own warnings are not shown.
GrayImage read_image(const std::filesystem::path& path);
// The same with the pixels as the file stores them, whatever EXIF says of their orientation.
GrayImage read_image_as_stored(const std::filesystem::path& path);

// The pictures below `folder` by their extensions, hidden ones left out, sorted by path; `recursive` looks into
// subfolders too. Throws Error when there is none.
std::vector<std::filesystem::path> list_images(const std::filesystem::path& folder, bool recursive = true);
// All of them by their paths below it.
std::vector<std::string> picture_names(const std::filesystem::path& folder);

}  // namespace adasample
