// SPDX-License-Identifier: Apache-2.0
#include "adasample/image/files/bmp.h"

#include "adasample/base/error.h"

namespace adasample {
namespace {

constexpr size_t kFileHeader = 14, kInfoHeader = 40;
constexpr int64_t kLargestBmp = 1 << 16;

uint32_t word16(std::span<const uint8_t> file, size_t at) { return file[at] | uint32_t{file[at + 1]} << 8; }
uint32_t word32(std::span<const uint8_t> file, size_t at) { return word16(file, at) | word16(file, at + 2) << 16; }

uint8_t luma(const uint8_t* blue_green_red) {
  const int sum = 1868 * blue_green_red[0] + 9617 * blue_green_red[1] + 4899 * blue_green_red[2];
  return static_cast<uint8_t>((sum + (1 << 13)) >> 14);
}

}  // namespace

BmpView::BmpView(std::span<const uint8_t> file, const std::string& name) {
  ADA_CHECK(file.size() >= 2 && file[0] == 'B' && file[1] == 'M', "[bmp] {}: expected 'BM' first, found {} - no bitmap",
            name, file.size() < 2 ? "the end of the file" : "something else");
  ADA_CHECK(file.size() >= kFileHeader + kInfoHeader, "[bmp] {}: expected a header of {} bytes, found {} - truncated?",
            name, kFileHeader + kInfoHeader, file.size());
  const size_t pixels_at = word32(file, 10), info_header = word32(file, 14);
  const int64_t width = static_cast<int32_t>(word32(file, 18)), height = static_cast<int32_t>(word32(file, 22));
  const uint32_t bits = word16(file, 28), compression = word32(file, 30), used_colours = word32(file, 46);

  ADA_CHECK(info_header >= kInfoHeader && info_header <= file.size() - kFileHeader,
            "[bmp] {}: expected an info header of {} bytes or more inside the file, found {} - save it anew", name,
            kInfoHeader, info_header);
  ADA_CHECK(width >= 1 && width <= kLargestBmp && height != 0 && height >= -kLargestBmp && height <= kLargestBmp,
            "[bmp] {}: expected 1 to {} pixels each way, found {} x {}", name, kLargestBmp, width, height);
  ADA_CHECK(bits == 8 || bits == 24, "[bmp] {}: expected 8 or 24 bits a pixel, found {} - save it as 8-bit grey", name,
            bits);
  ADA_CHECK(compression == 0, "[bmp] {}: expected no compression (0), found kind {} - save it uncompressed", name,
            compression);

  width_ = static_cast<int>(width);
  height_ = static_cast<int>(height < 0 ? -height : height);
  top_down_ = height < 0;
  pixel_bytes_ = bits / 8;
  stride_ = (static_cast<size_t>(width_) * pixel_bytes_ + 3) / 4 * 4;  // rows are padded to four bytes

  const size_t palette_at = kFileHeader + info_header;
  const size_t colours = bits == 24 ? 0 : used_colours == 0 ? 256 : used_colours;
  ADA_CHECK(colours <= 256, "[bmp] {}: expected a palette of 256 colours at most, found {}", name, colours);
  ADA_CHECK(palette_at + 4 * colours <= pixels_at && pixels_at <= file.size(),
            "[bmp] {}: expected the pixels between the palette's end at byte {} and the file's at {}, found them at {} "
            "- truncated?",
            name, palette_at + 4 * colours, file.size(), pixels_at);
  const size_t needed = static_cast<size_t>(height_) * stride_;
  ADA_CHECK(file.size() - pixels_at >= needed, "[bmp] {}: expected {} bytes of pixels, found {} - truncated?", name,
            needed, file.size() - pixels_at);
  read_palette(file.subspan(palette_at, 4 * colours));
  rows_ = file.subspan(pixels_at, needed);
  file_size_ = pixels_at + needed;
}

void BmpView::read_palette(std::span<const uint8_t> entries) {
  for (size_t i = 0; i < entries.size() / 4; ++i) palette_[i] = luma(entries.data() + 4 * i);
}

void BmpView::read_row(int x, int y, std::span<uint8_t> out) const {
  ADA_ASSERT(y >= 0 && y < height_ && x >= 0 && x <= width_ && out.size() <= static_cast<size_t>(width_ - x));
  const auto row = static_cast<size_t>(top_down_ ? y : height_ - 1 - y);
  const uint8_t* in = rows_.data() + row * stride_ + static_cast<size_t>(x) * pixel_bytes_;
  for (uint8_t& pixel : out) {
    pixel = pixel_bytes_ == 1 ? palette_[*in] : luma(in);
    in += pixel_bytes_;
  }
}

}  // namespace adasample
