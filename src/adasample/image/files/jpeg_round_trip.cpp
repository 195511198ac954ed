// SPDX-License-Identifier: Apache-2.0
#include "adasample/image/files/jpeg.h"

// clang-format off
#include <cstdio>  // jpeglib.h needs FILE
#include <jpeglib.h>
// clang-format on

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <vector>

#include "adasample/base/error.h"

namespace adasample {
namespace {

// libjpeg calls this on an error and expects it not to return. Nothing foreign is decoded here, so an error means a bug
// of ours or no memory; an exception must not cross libjpeg's C frames.
[[noreturn]] void give_up(j_common_ptr info) {
  char text[JMSG_LENGTH_MAX];
  info->err->format_message(info, text);
  std::fprintf(stderr, "[jpeg] internal error: %s\n", text);
  std::abort();
}

struct FreeBuffer {
  void operator()(unsigned char* buffer) const { std::free(buffer); }
};

struct EncodedJpeg {
  std::unique_ptr<unsigned char, FreeBuffer> bytes;
  unsigned long size = 0;
};

EncodedJpeg encode(std::vector<uint8_t>& canvas, int width, int height, int quality) {
  jpeg_error_mgr errors;
  jpeg_compress_struct encoder{};
  encoder.err = jpeg_std_error(&errors);
  errors.error_exit = give_up;
  jpeg_create_compress(&encoder);
  unsigned char* buffer = nullptr;
  unsigned long length = 0;
  jpeg_mem_dest(&encoder, &buffer, &length);
  encoder.image_width = static_cast<JDIMENSION>(width);
  encoder.image_height = static_cast<JDIMENSION>(height);
  encoder.input_components = 1;
  encoder.in_color_space = JCS_GRAYSCALE;
  jpeg_set_defaults(&encoder);
  jpeg_set_quality(&encoder, quality, TRUE);
  encoder.dct_method = JDCT_ISLOW;  // the same integers on every machine
  jpeg_start_compress(&encoder, TRUE);
  while (encoder.next_scanline < encoder.image_height) {
    JSAMPROW row = canvas.data() + encoder.next_scanline * static_cast<size_t>(width);
    jpeg_write_scanlines(&encoder, &row, 1);
  }
  jpeg_finish_compress(&encoder);
  jpeg_destroy_compress(&encoder);
  return {std::unique_ptr<unsigned char, FreeBuffer>(buffer), length};
}

void decode(const EncodedJpeg& file, std::vector<uint8_t>& canvas, int width) {
  jpeg_error_mgr errors;
  jpeg_decompress_struct decoder{};
  decoder.err = jpeg_std_error(&errors);
  errors.error_exit = give_up;
  jpeg_create_decompress(&decoder);
  jpeg_mem_src(&decoder, file.bytes.get(), file.size);
  jpeg_read_header(&decoder, TRUE);
  decoder.dct_method = JDCT_ISLOW;
  jpeg_start_decompress(&decoder);
  while (decoder.output_scanline < decoder.output_height) {
    JSAMPROW row = canvas.data() + decoder.output_scanline * static_cast<size_t>(width);
    jpeg_read_scanlines(&decoder, &row, 1);
  }
  jpeg_finish_decompress(&decoder);
  jpeg_destroy_decompress(&decoder);
}

}  // namespace

void jpeg_round_trip(std::span<uint8_t> pixels, int size, int quality, int shift_x, int shift_y) {
  ADA_ASSERT(size > 0 && pixels.size() == static_cast<size_t>(size) * static_cast<size_t>(size));
  ADA_ASSERT(quality >= 1 && quality <= 100 && shift_x >= 0 && shift_x < 8 && shift_y >= 0 && shift_y < 8);
  const int side = size + 8;  // the patch with its border repeated around it
  const auto source = [&](int x, int y) {
    const int u = std::clamp(x - shift_x, 0, size - 1), v = std::clamp(y - shift_y, 0, size - 1);
    return static_cast<size_t>(v * size + u);
  };
  std::vector<uint8_t> canvas(static_cast<size_t>(side) * static_cast<size_t>(side));
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) canvas[static_cast<size_t>(y * side + x)] = pixels[source(x, y)];
  }
  decode(encode(canvas, side, side, quality), canvas, side);
  for (int y = 0; y < size; ++y) {
    const auto begin = canvas.begin() + (y + shift_y) * side + shift_x;
    std::copy(begin, begin + size, pixels.begin() + y * size);
  }
}

void jpeg_round_trip(ByteImage& image, int quality) {
  constexpr int kLongest = 65500;  // of a side, as libjpeg has it
  ADA_ASSERT(quality >= 1 && quality <= 100 && image.width > 0 && image.height > 0);
  ADA_ASSERT(image.width <= kLongest && image.height <= kLongest);
  decode(encode(image.pixels, image.width, image.height, quality), image.pixels, image.width);
}

}  // namespace adasample
