// SPDX-License-Identifier: Apache-2.0
// clang-format off
#include <cstdio>  // jpeglib.h needs FILE
#include <jpeglib.h>
// clang-format on

#include <csetjmp>
#include <vector>

#include "adasample/base/error.h"
#include "adasample/image/files/jpeg.h"
#include "adasample/image/files/picture_size.h"

namespace adasample {
namespace {

constexpr int kMostScans = 500;  // of a progressive file; more only cost time

// libjpeg's reader over bytes in memory. It reports errors through a function that must not return, and an exception
// must not cross its C frames: every call goes through try_to(), whose steps hold plain values only.
class JpegDecoder {
 public:
  JpegDecoder() {
    info_.err = jpeg_std_error(&errors_);
    errors_.error_exit = on_error;
    errors_.emit_message = [](j_common_ptr, int) {};
    errors_.output_message = [](j_common_ptr) {};
    info_.client_data = this;
  }
  ~JpegDecoder() { jpeg_destroy_decompress(&info_); }
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;

  // False when libjpeg gave up; problem() then says why.
  template <typename Step>
  bool try_to(const Step& step) {
    if (setjmp(jump_) != 0) return false;
    step(info_);
    return true;
  }
  const char* problem() const { return problem_; }

  // The first step of all.
  void begin(std::span<const uint8_t> file) {
    jpeg_create_decompress(&info_);
    progress_.progress_monitor = on_progress;
    info_.progress = &progress_;
    jpeg_mem_src(&info_, file.data(), static_cast<unsigned long>(file.size()));
  }

 private:
  [[noreturn]] static void on_error(j_common_ptr info) {
    auto& decoder = *static_cast<JpegDecoder*>(info->client_data);
    info->err->format_message(info, decoder.problem_);
    std::longjmp(decoder.jump_, 1);
  }
  static void on_progress(j_common_ptr info) {
    auto& decoder = *static_cast<JpegDecoder*>(info->client_data);
    if (decoder.info_.input_scan_number <= kMostScans) return;
    std::snprintf(decoder.problem_, sizeof decoder.problem_, "more than %d scans", kMostScans);
    std::longjmp(decoder.jump_, 1);
  }

  jpeg_decompress_struct info_{};
  jpeg_error_mgr errors_{};
  jpeg_progress_mgr progress_{};
  std::jmp_buf jump_;
  char problem_[JMSG_LENGTH_MAX] = "";
};

// libjpeg fills what is missing with grey and says nothing. A whole file has segments and scans up to an end marker;
// what stands behind that (a camera's film) is nobody's business.
bool is_cut_off(std::span<const uint8_t> file) {
  const auto stands_alone = [](uint8_t code) { return code == 0x01 || (code >= 0xD0 && code <= 0xD7); };
  for (size_t at = 2; at + 1 < file.size();) {
    const uint8_t code = file[at + 1];
    // Coded pixels and fill bytes are stepped over; in pixels FF is followed by 00.
    if (file[at] != 0xFF || code == 0x00 || code == 0xFF || stands_alone(code)) {
      ++at;
    } else if (code == 0xD9) {
      return false;
    } else {
      if (at + 3 >= file.size()) return true;
      at += size_t{2} + file[at + 2] * size_t{256} + file[at + 3];
    }
  }
  return true;
}

// Ink as Adobe stores it, 255 for none, to the luma of what is left of the light.
uint8_t luma_of_cmyk(const uint8_t* ink) {
  const auto light = [key = int{ink[3]}](int colour) { return key - ((255 - colour) * key >> 8); };
  return static_cast<uint8_t>((4899 * light(ink[0]) + 9617 * light(ink[1]) + 1868 * light(ink[2]) + (1 << 13)) >> 14);
}

}  // namespace

GrayImage parse_jpeg(std::span<const uint8_t> file, const std::string& name) {
  ADA_CHECK(!is_cut_off(file), "[images] {}: the picture ends in the middle - truncated?", name);
  JpegDecoder decoder;
  const auto done = [&](bool success) {
    ADA_CHECK(success, "[images] {}: not a picture that can be decoded, or a damaged one: {}", name, decoder.problem());
  };

  uint64_t width = 0, height = 0;
  uint64_t blocks_per_bit = 1;
  bool cmyk = false;
  done(decoder.try_to([&](jpeg_decompress_struct& info) {
    decoder.begin(file);
    jpeg_read_header(&info, TRUE);
    width = info.image_width;
    height = info.image_height;
    if (info.arith_code) blocks_per_bit = 64;  // plain grey takes a small part of a bit
    cmyk = info.num_components == 4;
    info.out_color_space = cmyk ? JCS_CMYK : JCS_GRAYSCALE;
  }));
  check_picture_size(width, height, "images", name);
  // Before memory is taken: a short file cannot ask for gigabytes. A block of 8 x 8 takes a bit at least.
  ADA_CHECK((width / 8) * (height / 8) <= blocks_per_bit * 8 * file.size(),
            "[images] {}: {} bytes are too few for {} x {} pixels - truncated?", name, file.size(), width, height);

  GrayImage image(static_cast<int>(width), static_cast<int>(height));
  std::vector<uint8_t> row(width * (cmyk ? 4 : 1));
  done(decoder.try_to([&](jpeg_decompress_struct& info) {
    jpeg_start_decompress(&info);
    while (info.output_scanline < info.output_height) {
      float* out = image.row(static_cast<int>(info.output_scanline));
      JSAMPROW line = row.data();
      jpeg_read_scanlines(&info, &line, 1);
      for (size_t x = 0; x < width; ++x) out[x] = cmyk ? luma_of_cmyk(&row[4 * x]) : row[x];
    }
    jpeg_finish_decompress(&info);
  }));
  return image;
}

}  // namespace adasample
