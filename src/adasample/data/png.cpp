// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/png.h"

#include "adasample/base/error.h"
#include "adasample/base/file_io.h"
#include "adasample/data/png_encoder.h"

namespace adasample {

std::string encode_png(const GrayImage& image) {
  ADA_ASSERT(!image.pixels.empty());
  return encode_gray_png(to_bytes(image), image.width, image.height);
}

void write_png(const std::filesystem::path& path, const GrayImage& image) {
  write_file_atomically(path, encode_png(image));
}

}  // namespace adasample
