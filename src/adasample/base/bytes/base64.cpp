// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/bytes/base64.h"

#include <algorithm>
#include <array>

namespace adasample {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<int8_t, 256> kValues = [] {
  std::array<int8_t, 256> values{};
  values.fill(-1);
  for (size_t i = 0; i < kAlphabet.size(); ++i) values[static_cast<uint8_t>(kAlphabet[i])] = static_cast<int8_t>(i);
  return values;
}();

}  // namespace

std::string base64_encode(std::span<const uint8_t> bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t here = std::min<size_t>(3, bytes.size() - i);
    uint32_t three = 0;
    for (size_t j = 0; j < 3; ++j) three = three << 8 | (j < here ? bytes[i + j] : 0u);
    for (size_t j = 0; j < 4; ++j) text += j <= here ? kAlphabet[three >> (18 - 6 * j) & 63] : '=';
  }
  return text;
}

std::string base64_encode(std::string_view bytes) {
  return base64_encode(std::span(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()));
}

std::optional<std::vector<uint8_t>> base64_decode(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  const size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
  text.remove_suffix(padding);
  std::vector<uint8_t> bytes;
  bytes.reserve(text.size() / 4 * 3 + 2);
  uint32_t bits = 0;
  int held = 0;  // bits not yet written
  for (const char c : text) {
    const int8_t value = kValues[static_cast<uint8_t>(c)];
    if (value < 0) return std::nullopt;
    bits = bits << 6 | static_cast<uint32_t>(value);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes.push_back(static_cast<uint8_t>(bits >> held));
    bits &= (1u << held) - 1;
  }
  if (bits != 0) return std::nullopt;  // what is left over is padding and must be zero
  return bytes;
}

}  // namespace adasample
