// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
// After cstdio, which it needs.
#include <jpeglib.h>

#include <filesystem>
#include <span>
#include <vector>

#include "adasample/image/image.h"

namespace adasample::testing {

// A grey JPEG of the best quality; `exif` are the bytes of its APP1 segment, if it is to have one.
inline void write_jpeg(const std::filesystem::path& path, const GrayImage& stored, std::span<const char> exif = {}) {
  jpeg_compress_struct jpeg{};
  jpeg_error_mgr errors{};
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&jpeg);
  std::FILE* file = std::fopen(path.c_str(), "wb");
  jpeg_stdio_dest(&jpeg, file);
  jpeg.image_width = static_cast<JDIMENSION>(stored.width);
  jpeg.image_height = static_cast<JDIMENSION>(stored.height);
  jpeg.input_components = 1;
  jpeg.in_color_space = JCS_GRAYSCALE;
  jpeg_set_defaults(&jpeg);
  jpeg_set_quality(&jpeg, 100, TRUE);
  jpeg_start_compress(&jpeg, TRUE);
  if (!exif.empty()) {
    jpeg_write_marker(&jpeg, JPEG_APP0 + 1, reinterpret_cast<const JOCTET*>(exif.data()),
                      static_cast<unsigned>(exif.size()));
  }
  std::vector<uint8_t> bytes = to_bytes(stored);
  for (int y = 0; y < stored.height; ++y) {
    JSAMPROW row = bytes.data() + static_cast<size_t>(y) * static_cast<size_t>(stored.width);
    jpeg_write_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_compress(&jpeg);
  jpeg_destroy_compress(&jpeg);
  std::fclose(file);
}

// A JPEG whose EXIF says how what it stores is to be turned; 6: a quarter, clockwise: (x, y) is (height - 1 - y, x)
// then.
inline void write_turned_jpeg(const std::filesystem::path& path, const GrayImage& stored, int orientation = 6) {
  char exif[] =
      "Exif\0\0"
      "II*\0\x08\0\0\0"         // little-endian TIFF, its first directory at 8
      "\1\0\x12\1\3\0\1\0\0\0"  // one entry: orientation, a short
      "\6\0\0\0\0\0\0";         // 6; no further directory (the last byte is the text's end)
  exif[24] = static_cast<char>(orientation);
  write_jpeg(path, stored, exif);
}

}  // namespace adasample::testing
