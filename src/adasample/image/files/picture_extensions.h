// SPDX-License-Identifier: Apache-2.0
// Which files are taken for pictures, by their names alone.
#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <string>

namespace adasample {

inline constexpr std::array kPictureExtensions = {".jpg", ".jpeg", ".png", ".pgm",  ".ppm", ".pnm",
                                                  ".tif", ".tiff", ".bmp", ".webp", ".jp2"};

// In letters of either case.
inline bool has_picture_extension(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::find(kPictureExtensions.begin(), kPictureExtensions.end(), extension) != kPictureExtensions.end();
}

}  // namespace adasample
