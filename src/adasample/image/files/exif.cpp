// SPDX-License-Identifier: Apache-2.0
#include "adasample/image/files/exif.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "adasample/base/files/mapped_file.h"

namespace adasample {
namespace {

using Bytes = std::span<const uint8_t>;

enum Tag : uint32_t {
  kMake = 0x010F,
  kModel = 0x0110,
  kOrientation = 0x0112,
  kExifFolder = 0x8769,
  kFocalLength = 0x920A,
  kPixelXDimension = 0xA002,
  kFocalPlaneXResolution = 0xA20E,
  kFocalPlaneResolutionUnit = 0xA210,
  kFocalLengthIn35mmFilm = 0xA405,
};
enum Type : uint32_t { kText = 2, kShort = 3, kLong = 4, kRational = 5 };

constexpr size_t kEntry = 12;         // bytes of a folder's entry
constexpr size_t kLongestText = 256;  // of a maker's or a model's name
constexpr std::string_view kSignature = {"Exif\0\0", 6};

// Numbers of a TIFF block, in its byte order; nothing where they would lie outside.
class Tiff {
 public:
  Tiff(Bytes block, bool big_endian) : block_(block), big_endian_(big_endian) {}

  std::optional<uint32_t> number(size_t at, size_t width) const {
    if (at > block_.size() || block_.size() - at < width) return {};
    uint32_t value = 0;
    for (size_t i = 0; i < width; ++i) value = value << 8 | block_[at + (big_endian_ ? i : width - 1 - i)];
    return value;
  }
  std::string text(size_t at, size_t length) const {
    if (at > block_.size() || block_.size() - at < length || length > kLongestText) return "";
    const std::string_view all(reinterpret_cast<const char*>(block_.data()) + at, length);
    return std::string(all.substr(0, all.find('\0')));
  }

 private:
  Bytes block_;
  bool big_endian_;
};

struct Entry {
  uint32_t tag, type, count;
  size_t value;  // where the number or the offset stands
};

// Calls use(entry) for every entry of the folder at `at`.
template <typename Use>
void walk(const Tiff& tiff, size_t at, const Use& use) {
  const uint32_t count = tiff.number(at, 2).value_or(0);
  for (size_t i = 0; i < count; ++i) {
    const size_t entry = at + 2 + i * kEntry;
    const auto tag = tiff.number(entry, 2), type = tiff.number(entry + 2, 2), values = tiff.number(entry + 4, 4);
    if (!tag || !type || !values) return;
    use(Entry{*tag, *type, *values, entry + 8});
  }
}

uint32_t integer(const Tiff& tiff, const Entry& entry) {
  if (entry.count != 1 || (entry.type != kShort && entry.type != kLong)) return 0;
  return tiff.number(entry.value, entry.type == kShort ? 2 : 4).value_or(0);
}

double rational(const Tiff& tiff, const Entry& entry) {
  if (entry.count != 1 || entry.type != kRational) return 0;
  const size_t at = tiff.number(entry.value, 4).value_or(0);
  const uint32_t numerator = tiff.number(at, 4).value_or(0), denominator = tiff.number(at + 4, 4).value_or(0);
  return denominator == 0 ? 0 : static_cast<double>(numerator) / denominator;
}

std::string text(const Tiff& tiff, const Entry& entry) {
  if (entry.type != kText) return "";
  const size_t at = entry.count <= 4 ? entry.value : tiff.number(entry.value, 4).value_or(0);
  return tiff.text(at, entry.count);
}

// The TIFF block of a JPEG's EXIF segment; empty where there is none.
Bytes jpeg_exif_block(Bytes file) {
  for (size_t at = 2; at + 4 <= file.size() && file[at] == 0xFF;) {
    const uint8_t marker = file[at + 1];
    if (marker == 0xFF) {  // a fill byte
      ++at;
      continue;
    }
    const size_t length = file[at + 2] * size_t{256} + file[at + 3];  // with these two bytes
    if (marker < 0xC0 || marker == 0xDA || length < 2 || file.size() - at - 2 < length) return {};  // pixels begin
    const Bytes segment = file.subspan(at + 4, length - 2);
    if (marker == 0xE1 && segment.size() >= kSignature.size() &&
        std::equal(kSignature.begin(), kSignature.end(), segment.begin())) {
      return segment.subspan(kSignature.size());
    }
    at += 2 + length;
  }
  return {};
}

// The same of a PNG's chunk eXIf, which may stand on either side of the pixels.
Bytes png_exif_block(Bytes file) {
  const Tiff chunks(file, /*big_endian=*/true);
  for (size_t at = 8; at < file.size();) {
    const auto length = chunks.number(at, 4), type = chunks.number(at + 4, 4);
    if (!length || !type || file.size() - at - 8 < *length) return {};
    if (*type == 0x65584966) return file.subspan(at + 8, *length);  // "eXIf"
    at += size_t{12} + *length;
  }
  return {};
}

Bytes exif_block(Bytes file) {
  if (file.size() >= 4 && file[0] == 0xFF && file[1] == 0xD8) return jpeg_exif_block(file);
  if (file.size() >= 8 && file[0] == 0x89 && file[1] == 'P') return png_exif_block(file);
  return {};
}

}  // namespace

Exif parse_exif(Bytes file) {
  Exif exif;
  const Bytes block = exif_block(file);
  if (block.size() < 8 || block[0] != block[1] || (block[0] != 'I' && block[0] != 'M')) return exif;
  const Tiff tiff(block, block[0] == 'M');
  if (tiff.number(2, 2) != 42) return exif;
  size_t inner = 0;
  walk(tiff, *tiff.number(4, 4), [&](const Entry& entry) {
    if (entry.tag == kOrientation) {
      const uint32_t said = integer(tiff, entry);
      if (said >= 1 && said <= 8) exif.orientation = static_cast<int>(said);
    }
    if (entry.tag == kMake) exif.make = text(tiff, entry);
    if (entry.tag == kModel) exif.model = text(tiff, entry);
    if (entry.tag == kExifFolder) inner = integer(tiff, entry);
  });
  if (inner == 0) return exif;
  walk(tiff, inner, [&](const Entry& entry) {
    if (entry.tag == kFocalLength) exif.focal_mm = rational(tiff, entry);
    if (entry.tag == kFocalLengthIn35mmFilm) exif.focal_35mm = integer(tiff, entry);
    if (entry.tag == kPixelXDimension) exif.pixel_width = integer(tiff, entry);
    if (entry.tag == kFocalPlaneXResolution) exif.plane_resolution = rational(tiff, entry);
    if (entry.tag == kFocalPlaneResolutionUnit) exif.plane_unit = static_cast<int>(std::min(integer(tiff, entry), 99u));
  });
  return exif;
}

Exif read_exif(const std::filesystem::path& path) { return parse_exif(MappedFile(path).bytes()); }

}  // namespace adasample
