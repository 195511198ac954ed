// SPDX-License-Identifier: Apache-2.0
#include "adasample/image/files/exif.h"

#include <algorithm>
#include <string_view>

#include "adasample/base/files/mapped_file.h"
#include "adasample/image/files/tiff_block.h"

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

constexpr std::string_view kSignature = {"Exif\0\0", 6};

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
  const TiffBlock chunks(file, /*big_endian=*/true);
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
  const auto tiff = TiffBlock::open(exif_block(file));
  if (!tiff) return exif;
  size_t inner = 0;
  tiff->walk(tiff->first_folder(), [&](const TiffBlock::Entry& entry) {
    if (entry.tag == kOrientation) {
      const uint32_t said = tiff->integer(entry);
      if (said >= 1 && said <= 8) exif.orientation = static_cast<int>(said);
    }
    if (entry.tag == kMake) exif.make = tiff->text(entry);
    if (entry.tag == kModel) exif.model = tiff->text(entry);
    if (entry.tag == kExifFolder) inner = tiff->integer(entry);
  });
  if (inner == 0) return exif;
  tiff->walk(inner, [&](const TiffBlock::Entry& entry) {
    if (entry.tag == kFocalLength) exif.focal_mm = tiff->rational(entry);
    if (entry.tag == kFocalLengthIn35mmFilm) exif.focal_35mm = tiff->integer(entry);
    if (entry.tag == kPixelXDimension) exif.pixel_width = tiff->integer(entry);
    if (entry.tag == kFocalPlaneXResolution) exif.plane_resolution = tiff->rational(entry);
    if (entry.tag == kFocalPlaneResolutionUnit) exif.plane_unit = static_cast<int>(std::min(tiff->integer(entry), 99u));
  });
  return exif;
}

Exif read_exif(const std::filesystem::path& path) { return parse_exif(MappedFile(path).bytes()); }

}  // namespace adasample
