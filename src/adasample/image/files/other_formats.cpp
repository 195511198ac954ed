// SPDX-License-Identifier: Apache-2.0
#include "adasample/image/files/other_formats.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "adasample/base/error.h"
#include "adasample/image/files/pgm.h"
#include "adasample/image/files/picture_size.h"
#include "adasample/image/files/tiff_block.h"

namespace adasample {
namespace {

using Bytes = std::span<const uint8_t>;

struct Size {
  uint64_t width = 0, height = 0;
};

bool stands_at(Bytes file, size_t at, std::string_view magic) {
  return file.size() >= at + magic.size() &&
         std::equal(magic.begin(), magic.end(), file.begin() + static_cast<ptrdiff_t>(at),
                    [](char a, uint8_t b) { return uint8_t(a) == b; });
}

bool is_webp(Bytes file) { return stands_at(file, 0, "RIFF") && stands_at(file, 8, "WEBP"); }
bool is_tiff(Bytes file) { return TiffBlock::open(file).has_value(); }
bool is_bmp(Bytes file) { return stands_at(file, 0, "BM"); }
bool is_pnm(Bytes file) {
  return file.size() >= 3 && file[0] == 'P' && std::string_view("1346").find(char(file[1])) != std::string_view::npos &&
         (file[2] == ' ' || (file[2] >= '\t' && file[2] <= '\r'));
}

// What the first folder says; of a tag that is there twice the larger, since libraries differ in which they take. A
// tile is decoded whole, however little of it the picture needs.
Size tiff_size(Bytes file) {
  enum : uint32_t { kWidth = 256, kHeight = 257, kTileWidth = 322, kTileHeight = 323 };
  Size size, tile;
  const TiffBlock tiff = *TiffBlock::open(file);
  tiff.walk(tiff.first_folder(), [&](const TiffBlock::Entry& entry) {
    const auto take = [&](uint32_t tag, uint64_t& value) {
      if (entry.tag == tag) value = std::max<uint64_t>(value, tiff.integer(entry));
    };
    take(kWidth, size.width);
    take(kHeight, size.height);
    take(kTileWidth, tile.width);
    take(kTileHeight, tile.height);
  });
  if (size.width == 0 || size.height == 0) return {};
  return tile.width * tile.height > size.width * size.height ? tile : size;
}

Size webp_size(Bytes file) {
  const TiffBlock numbers(file, /*big_endian=*/false);
  const auto at = [&](size_t place, size_t width) -> uint64_t { return numbers.number(place, width).value_or(0); };
  constexpr size_t kFirst = 20;  // byte of the first chunk's content
  if (stands_at(file, 12, "VP8X")) return {at(kFirst + 4, 3) + 1, at(kFirst + 7, 3) + 1};
  if (stands_at(file, 12, "VP8L")) {
    const uint64_t bits = at(kFirst + 1, 4);
    return {(bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1};
  }
  if (stands_at(file, 12, "VP8 ")) return {at(kFirst + 6, 2) & 0x3FFF, at(kFirst + 8, 2) & 0x3FFF};
  return {};
}

Size bmp_size(Bytes file) {
  const TiffBlock numbers(file, /*big_endian=*/false);
  constexpr uint32_t kOldHeader = 12;  // OS/2's, with numbers of 16 bits
  if (numbers.number(14, 4) == kOldHeader)
    return {numbers.number(18, 2).value_or(0), numbers.number(20, 2).value_or(0)};
  const auto extent = [&](size_t at) {
    return static_cast<uint64_t>(std::llabs(static_cast<int32_t>(numbers.number(at, 4).value_or(0))));
  };
  return {extent(18), extent(22)};
}

Size size_of(Bytes file, const std::string& name) {
  if (is_tiff(file)) return tiff_size(file);
  if (is_webp(file)) return webp_size(file);
  if (is_bmp(file)) return bmp_size(file);
  const auto [width, height] = parse_pnm_size(file, name);
  return {static_cast<uint64_t>(width), static_cast<uint64_t>(height)};
}

}  // namespace

bool is_other_format(Bytes file) { return is_tiff(file) || is_webp(file) || is_bmp(file) || is_pnm(file); }

void check_other_format(Bytes file, const std::string& name) {
  ADA_CHECK(is_other_format(file),
            "[images] {}: not a picture: expected JPEG, PNG, PGM, PPM, PBM, BMP, TIFF or WebP - convert it", name);
  const Size size = size_of(file, name);
  ADA_CHECK(size.width > 0 && size.height > 0, "[images] {}: does not say how large the picture is - truncated?", name);
  check_picture_size(size.width, size.height, "images", name);
  ADA_CHECK(size.width * size.height <= kMostOtherGain * file.size(),
            "[images] {}: {} bytes are too few for {} x {} pixels - truncated?", name, file.size(), size.width,
            size.height);
}

}  // namespace adasample
