// SPDX-License-Identifier: Apache-2.0
#include "adasample/image/files/images.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <string_view>

#include "adasample/base/error.h"
#include "adasample/base/files/mapped_file.h"
#include "adasample/base/files/open_file.h"
#include "adasample/image/files/bmp.h"
#include "adasample/image/files/exif.h"
#include "adasample/image/files/jpeg.h"
#include "adasample/image/files/other_formats.h"
#include "adasample/image/files/pgm.h"
#include "adasample/image/files/picture_size.h"
#include "adasample/image/files/png.h"

namespace adasample {
namespace {

constexpr size_t kMostPictureBytes = size_t{1} << 31;

std::atomic<PictureDecoder> other_formats{nullptr};

bool begins_with(std::span<const uint8_t> file, std::string_view magic) {
  return file.size() >= magic.size() &&
         std::equal(magic.begin(), magic.end(), file.begin(), [](char a, uint8_t b) { return uint8_t(a) == b; });
}

GrayImage parse_bmp(std::span<const uint8_t> file, const std::string& name) {
  const BmpView bitmap(file, name);
  check_picture_size(static_cast<uint64_t>(bitmap.width()), static_cast<uint64_t>(bitmap.height()), "images", name);
  GrayImage image(bitmap.width(), bitmap.height());
  std::vector<uint8_t> row(static_cast<size_t>(bitmap.width()));
  for (int y = 0; y < bitmap.height(); ++y) {
    bitmap.read_row(0, y, row);
    std::copy(row.begin(), row.end(), image.row(y));
  }
  return image;
}

// Bitmaps with 8 or 24 bits and no compression; others are left to the decoder of other formats.
bool is_plain_bmp(std::span<const uint8_t> file) {
  return begins_with(file, "BM") && file.size() > 33 && (file[28] == 8 || file[28] == 24) && file[30] == 0;
}

// The reader of the formats that are read here; null for any other.
GrayImage (*own_reader(std::span<const uint8_t> file))(std::span<const uint8_t>, const std::string&) {
  if (begins_with(file, "\xFF\xD8\xFF")) return parse_jpeg;
  if (begins_with(file, "\x89PNG\r\n\x1A\n")) return parse_png_picture;
  if (begins_with(file, "P5") || begins_with(file, "P2")) return parse_pgm;
  if (is_plain_bmp(file)) return parse_bmp;
  return nullptr;
}

// The picture as EXIF's orientation 1 to 8 wants it seen.
GrayImage turned(const GrayImage& stored, int orientation) {
  const bool swapped = orientation >= 5;  // rows become columns
  const bool from_right = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  const bool from_bottom = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  GrayImage image(swapped ? stored.height : stored.width, swapped ? stored.width : stored.height);
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      const int u = swapped ? y : x, v = swapped ? x : y;  // of the stored picture
      image.at(x, y) = stored.at(from_right ? stored.width - 1 - u : u, from_bottom ? stored.height - 1 - v : v);
    }
  }
  return image;
}

}  // namespace

void set_decoder_of_other_formats(PictureDecoder decoder) { other_formats = decoder; }

GrayImage parse_image(std::span<const uint8_t> file, const std::string& name, PixelOrder order) {
  ADA_CHECK(!file.empty(), "[images] {}: the file is empty", name);
  if (const auto read = own_reader(file)) {
    GrayImage image = read(file, name);
    const int orientation = order == PixelOrder::kUpright ? parse_exif(file).orientation : Exif::kUpright;
    return orientation == Exif::kUpright ? std::move(image) : turned(image, orientation);
  }
  const PictureDecoder decode = other_formats;
  ADA_CHECK(decode != nullptr,
            "[images] {}: not a JPEG, PNG, PGM or plain BMP picture; other formats need OpenCV, which this program was "
            "built without",
            name);
  check_other_format(file, name);
  return decode(file, name, order);
}

GrayImage read_image(const std::filesystem::path& path, PixelOrder order) {
  const MappedFile file(path, OnLoss::kTolerate);
  ADA_CHECK(file.bytes().size() <= kMostPictureBytes, "[images] {}: {} MiB are more than a picture can need",
            path.string(), file.bytes().size() >> 20);
  GrayImage image = parse_image(file.bytes(), path.string(), order);
  file.check_intact("images");
  return image;
}

bool is_own_format(const std::filesystem::path& path) {
  std::error_code ignored;  // whoever reads it says what is wrong
  if (!std::filesystem::is_regular_file(path, ignored)) return true;
  std::array<uint8_t, 64> first{};
  const ssize_t got = ::read(open_to_read(path).handle.get(), first.data(), first.size());
  const auto size = static_cast<size_t>(std::max<ssize_t>(0, got));
  const auto read = std::span(first).first(size);
  return own_reader(read) != nullptr || !is_other_format(read);
}

bool is_turned(const std::filesystem::path& path) { return read_exif(path).orientation != Exif::kUpright; }

}  // namespace adasample
