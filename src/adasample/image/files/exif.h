// SPDX-License-Identifier: Apache-2.0
// What EXIF data say of a photograph: which way up it is, and of the lens enough to guess a focal length in pixels.
// Metadata are often damaged, and a photograph is none the worse for it: what is missing, outside the file or of
// another type counts as not said.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace adasample {

struct Exif {
  static constexpr int kInches = 2, kCentimetres = 3;
  static constexpr int kUpright = 1;

  // 1 to 8, where the picture's first row and column of stored pixels belong: 1 top and left, 6 right and top, ..
  int orientation = kUpright;
  std::string make, model;      // of the camera; empty: not said
  double focal_35mm = 0;        // millimetres, as if on 35 mm film; 0: not said, here and below
  double focal_mm = 0;          // millimetres
  double plane_resolution = 0;  // pixels a unit on the sensor, horizontally
  int plane_unit = 0;           // kInches or kCentimetres
  int64_t pixel_width = 0;      // of the photograph when it was taken
};

// `file`: a whole JPEG or PNG, or its beginning; anything else says nothing.
Exif parse_exif(std::span<const uint8_t> file);
Exif read_exif(const std::filesystem::path& path);

}  // namespace adasample
