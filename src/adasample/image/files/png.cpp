// SPDX-License-Identifier: Apache-2.0
#include "adasample/image/files/png.h"

#include <png.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/base/files/mapped_file.h"
#include "adasample/image/files/picture_size.h"
#include "adasample/image/files/png_encoder.h"

namespace adasample {
namespace {

constexpr float kPerLevel = 1 / 257.0f;      // of 16 bits, in levels of 8
constexpr uint64_t kMostDeflateGain = 1032;  // bytes that one compressed byte can become (258 from two bits)

// libpng's reader over bytes in memory. It reports errors by longjmp, which must not pass over a destructor: every call
// goes through try_to(), whose steps hold plain values only.
class Decoder {
 public:
  explicit Decoder(std::span<const uint8_t> file) : rest_(file) {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning);
    info_ = png_ == nullptr ? nullptr : png_create_info_struct(png_);
    ADA_CHECK(info_ != nullptr, "[png] libpng {} cannot be used by a program made for " PNG_LIBPNG_VER_STRING,
              png_get_libpng_ver(nullptr));
    png_set_read_fn(png_, this, on_read);
  }
  ~Decoder() { png_destroy_read_struct(&png_, &info_, nullptr); }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  // False when libpng gave up; problem() then says why.
  template <typename Step>
  bool try_to(const Step& step) {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    step(png_, info_);
    return true;
  }
  const char* problem() const { return problem_.data(); }

 private:
  [[noreturn]] static void on_error(png_structp png, png_const_charp message) {
    auto& problem = static_cast<Decoder*>(png_get_error_ptr(png))->problem_;
    std::strncpy(problem.data(), message, problem.size() - 1);
    png_longjmp(png, 1);
  }
  static void on_warning(png_structp, png_const_charp) {}
  static void on_read(png_structp png, png_bytep out, size_t size) {
    auto& rest = static_cast<Decoder*>(png_get_io_ptr(png))->rest_;
    if (size > rest.size()) png_error(png, "the file ends in the middle - truncated?");
    std::copy_n(rest.begin(), size, out);
    rest = rest.subspan(size);
  }

  std::span<const uint8_t> rest_;
  std::array<char, 128> problem_{};
  png_structp png_;
  png_infop info_;
};

// 8 bits a channel, one channel or three.
void ask_for_bytes(png_structp png, png_infop info) {
  png_set_palette_to_rgb(png);
  png_set_expand_gray_1_2_4_to_8(png);
  png_set_scale_16(png);
  png_set_strip_alpha(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
}

// As parse_png_picture() promises: one channel, of 16 bits where the file has them.
void ask_for_grey(png_structp png, png_infop info) {
  png_set_strip_alpha(png);
  png_set_palette_to_rgb(png);
  png_set_expand_gray_1_2_4_to_8(png);
  png_set_rgb_to_gray(png, PNG_ERROR_ACTION_NONE, 0.299, 0.587);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
}

std::vector<uint8_t> to_grey(const std::vector<uint8_t>& rgb) {
  std::vector<uint8_t> grey(rgb.size() / 3);
  for (size_t i = 0; i < grey.size(); ++i) {
    const uint8_t* p = rgb.data() + 3 * i;
    grey[i] = static_cast<uint8_t>((299 * p[0] + 587 * p[1] + 114 * p[2] + 500) / 1000);
  }
  return grey;
}

struct WholePng {
  uint64_t width = 0, height = 0;
  size_t stride = 0;  // bytes of a row
  std::vector<uint8_t> bytes;
};

// `only_pixels`: whatever else the file says of them, its gamma for example, is passed over.
WholePng read_whole(std::span<const uint8_t> file, const std::string& name, bool only_pixels,
                    void (*ask)(png_structp, png_infop)) {
  ADA_CHECK(file.size() >= 8 && png_sig_cmp(file.data(), 0, 8) == 0,
            "[png] {}: expected the signature of a PNG image, found {} - not a .png file, or an unfinished download?",
            name, file.empty() ? "an empty file" : "something else");
  Decoder decoder(file);
  const auto done = [&](bool success) {
    ADA_CHECK(success, "[png] {}: expected a whole PNG image, found a damaged one: {}", name, decoder.problem());
  };

  WholePng whole;
  uint64_t row_bytes = 0;
  done(decoder.try_to([&](png_structp png, png_infop info) {
    if (only_pixels) png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
    png_read_info(png, info);
    whole.width = png_get_image_width(png, info);
    whole.height = png_get_image_height(png, info);
    row_bytes = png_get_rowbytes(png, info);  // before the conversions: as in the file
  }));
  check_picture_size(whole.width, whole.height, "png", name);
  // Before memory is taken: a short file cannot ask for gigabytes.
  ADA_CHECK(row_bytes * whole.height <= kMostDeflateGain * file.size(),
            "[png] {}: {} bytes are too few for {} x {} pixels - truncated?", name, file.size(), whole.width,
            whole.height);

  done(decoder.try_to([&](png_structp png, png_infop info) {
    ask(png, info);
    whole.stride = png_get_rowbytes(png, info);
  }));
  whole.bytes.resize(whole.stride * whole.height);
  done(decoder.try_to([&](png_structp png, png_infop info) {
    const int passes = png_get_interlace_type(png, info) == PNG_INTERLACE_ADAM7 ? PNG_INTERLACE_ADAM7_PASSES : 1;
    for (int pass = 0; pass < passes; ++pass) {
      for (size_t y = 0; y < whole.height; ++y) png_read_row(png, whole.bytes.data() + y * whole.stride, nullptr);
    }
    png_read_end(png, nullptr);
  }));
  return whole;
}

}  // namespace

ByteImage parse_png(std::span<const uint8_t> file, const std::string& name) {
  WholePng whole = read_whole(file, name, /*only_pixels=*/true, ask_for_bytes);
  const size_t count = whole.width * whole.height;
  if (whole.stride == 3 * whole.width) whole.bytes = to_grey(whole.bytes);
  ADA_ASSERT(whole.bytes.size() == count);
  return {static_cast<int>(whole.width), static_cast<int>(whole.height), std::move(whole.bytes)};
}

GrayImage parse_png_picture(std::span<const uint8_t> file, const std::string& name) {
  const WholePng whole = read_whole(file, name, /*only_pixels=*/false, ask_for_grey);
  const bool deep = whole.stride == 2 * whole.width;
  ADA_ASSERT(deep || whole.stride == whole.width);
  GrayImage image(static_cast<int>(whole.width), static_cast<int>(whole.height));
  for (size_t i = 0; i < image.pixels.size(); ++i) {
    const uint8_t* p = whole.bytes.data() + (deep ? 2 * i : i);
    image.pixels[i] = deep ? static_cast<float>(p[0] << 8 | p[1]) * kPerLevel : p[0];
  }
  return image;
}

ByteImage read_png(const std::filesystem::path& path) {
  const MappedFile file(path, OnLoss::kTolerate);
  ByteImage image = parse_png(file.bytes(), path.string());
  file.check_intact("png");
  return image;
}

std::string encode_png(const ByteImage& image) {
  ADA_ASSERT(!image.pixels.empty());
  return encode_gray_png(image.pixels, image.width, image.height);
}

std::string encode_png(const GrayImage& image) {
  return encode_png(ByteImage{image.width, image.height, to_bytes(image)});
}

void write_png(const std::filesystem::path& path, const GrayImage& image) {
  write_file_atomically(path, encode_png(image));
}

}  // namespace adasample
