// SPDX-License-Identifier: Apache-2.0
#include <zlib.h>

#include <vector>

#include "adasample/base/error.h"
#include "adasample/image/files/png.h"

namespace {

uint32_t big_endian(const uint8_t* p) { return uint32_t{p[0]} << 24 | p[1] << 16 | p[2] << 8 | p[3]; }

// Gives every chunk (length, type, content, checksum) the checksum it should have: no mutation would find it.
void mend_checksums(std::vector<uint8_t>& file) {
  for (size_t at = 8; file.size() - at >= 12;) {
    const size_t length = big_endian(&file[at]);
    if (length > file.size() - at - 12) return;
    const auto sum = static_cast<uint32_t>(crc32(0, &file[at + 4], static_cast<uInt>(length + 4)));
    for (size_t i = 0; i < 4; ++i) file[at + 8 + length + i] = static_cast<uint8_t>(sum >> (24 - 8 * i));
    at += length + 12;
  }
}

}  // namespace

// Whatever the bytes: an Error, or an image that survives being written and read again.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace adasample;
  std::vector<uint8_t> file(data, data + size);
  if (size >= 8 && size % 8 != 0) mend_checksums(file);  // some inputs keep their bad ones
  try {
    const ByteImage image = parse_png(file, "fuzz.png");
    if (image.pixels.empty()) __builtin_trap();
    const std::string again = encode_png(image);
    const auto* bytes = reinterpret_cast<const uint8_t*>(again.data());
    if (parse_png({bytes, again.size()}, "again.png").pixels != image.pixels) __builtin_trap();
  } catch (const Error& error) {
    if (error.kind() == Error::Kind::kBug) __builtin_trap();
  }
  return 0;
}
