// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/bytes/crc32c.h"

#include <array>

namespace adasample {
namespace {

constexpr std::array<uint32_t, 256> kCrcTable = [] {
  std::array<uint32_t, 256> table{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ ((value & 1) != 0 ? 0x82F63B78u : 0u);
    table[byte] = value;
  }
  return table;
}();

}  // namespace

uint32_t crc32c(std::string_view bytes) {
  uint32_t value = 0xFFFFFFFFu;
  for (const char c : bytes) value = kCrcTable[(value ^ static_cast<unsigned char>(c)) & 255] ^ value >> 8;
  return ~value;
}

}  // namespace adasample
