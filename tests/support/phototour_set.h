// SPDX-License-Identifier: Apache-2.0
// A PhotoTour folder for tests: sheets by the golden formula (tests/golden/ubc), info.txt and match lists as told.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "adasample/base/files/file_io.h"

namespace adasample::testing {

inline constexpr int kSheetWidth = 1024;

// An 8-bit bitmap with a grey palette, as the published sheets are; `pixels` (height, width) from the upper row on.
inline std::string encode_bmp(const std::vector<uint8_t>& pixels, int width, bool top_down = false) {
  std::string file = "BM";
  const auto put = [&file](int64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) file += static_cast<char>(value >> (8 * i) & 255);
  };
  const int height = static_cast<int>(pixels.size()) / width, stride = (width + 3) / 4 * 4;
  put(1078 + stride * height, 4);
  put(0, 4);
  put(1078, 4);  // where the pixels begin: 14 + 40 + 4 * 256
  put(40, 4);
  put(width, 4);
  put(top_down ? -height : height, 4);
  put(1, 2);
  put(8, 2);
  file.append(24, '\0');  // no compression, 256 colours
  for (int i = 0; i < 256; ++i) put(i * 0x010101, 4);
  for (int k = 0; k < height; ++k) {
    const int y = top_down ? k : height - 1 - k;
    file.append(reinterpret_cast<const char*>(pixels.data()) + y * width, static_cast<size_t>(width));
    file.append(static_cast<size_t>(stride - width), '\0');
  }
  return file;
}

inline uint8_t golden_pixel(int64_t patch, int x, int y) {
  return static_cast<uint8_t>((7 * patch + 13 * (patch / 256) + 3 * (y / 8) + 5 * (x / 8) + (y * x) % 2) % 256);
}

// Sheet `number` of a set of `patches` patches, zero behind the last one.
inline std::string golden_sheet(int64_t number, int64_t patches) {
  std::vector<uint8_t> pixels(kSheetWidth * kSheetWidth);
  for (int y = 0; y < kSheetWidth; ++y) {
    for (int x = 0; x < kSheetWidth; ++x) {
      const int64_t patch = 256 * number + 16 * (y / 64) + x / 64;
      if (patch < patches) pixels[static_cast<size_t>(y * kSheetWidth + x)] = golden_pixel(patch, x % 64, y % 64);
    }
  }
  return encode_bmp(pixels, kSheetWidth);
}

inline void put_file(const std::filesystem::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

inline std::string golden_ubc_text(const std::string& name) {
  return read_text(std::string(ADASAMPLE_SOURCE_DIR) + "/tests/golden/ubc/" + name);
}

// The golden set: 300 patches of 97 points in two sheets, 40 pairs.
inline void write_golden_set(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  for (const int64_t sheet : {0, 1}) {
    put_file(folder / ("patches000" + std::to_string(sheet) + ".bmp"), golden_sheet(sheet, 300));
  }
  for (const char* name : {"info.txt", "m50_100000_100000_0.txt"}) put_file(folder / name, golden_ubc_text(name));
}

}  // namespace adasample::testing
