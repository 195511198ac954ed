// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/png.h"

#include <png.h>

#include "adasample/base/error.h"
#include "adasample/base/file_io.h"

namespace adasample {

std::string encode_png(const GrayImage& image) {
  ADA_ASSERT(!image.pixels.empty());
  const std::vector<uint8_t> bytes = to_bytes(image);
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  header.width = static_cast<png_uint_32>(image.width);
  header.height = static_cast<png_uint_32>(image.height);
  header.format = PNG_FORMAT_GRAY;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(header);
  std::string file(size, '\0');
  const int done = png_image_write_to_memory(&header, file.data(), &size, /*convert_to_8_bit=*/0, bytes.data(),
                                             /*row_stride=*/0, /*colormap=*/nullptr);
  ADA_CHECK(done != 0, "[png] {} x {} pixels cannot be encoded: {}", image.width, image.height, header.message);
  file.resize(size);
  return file;
}

void write_png(const std::filesystem::path& path, const GrayImage& image) {
  write_file_atomically(path, encode_png(image));
}

}  // namespace adasample
