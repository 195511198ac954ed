// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/bytes/sha1.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstdint>

namespace adasample {
namespace {

using State = std::array<uint32_t, 5>;
constexpr size_t kBlock = 64;

void absorb_block(State& state, const char* block) {
  std::array<uint32_t, 80> w;
  for (size_t i = 0; i < 16; ++i) {
    w[i] = 0;
    for (size_t byte = 0; byte < 4; ++byte) w[i] = w[i] << 8 | static_cast<uint8_t>(block[4 * i + byte]);
  }
  for (size_t i = 16; i < 80; ++i) w[i] = std::rotl(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);

  uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
  const auto rounds = [&](size_t begin, uint32_t constant, auto mix) {
    for (size_t i = begin; i < begin + 20; ++i) {
      const uint32_t next = std::rotl(a, 5) + mix() + e + constant + w[i];
      e = d;
      d = c;
      c = std::rotl(b, 30);
      b = a;
      a = next;
    }
  };
  rounds(0, 0x5A827999, [&] { return (b & c) | (~b & d); });
  rounds(20, 0x6ED9EBA1, [&] { return b ^ c ^ d; });
  rounds(40, 0x8F1BBCDC, [&] { return (b & c) | (b & d) | (c & d); });
  rounds(60, 0xCA62C1D6, [&] { return b ^ c ^ d; });
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
  state[4] += e;
}

}  // namespace

std::string sha1_hex(std::string_view text) {
  State state = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};
  const size_t whole = text.size() / kBlock * kBlock;
  for (size_t at = 0; at < whole; at += kBlock) absorb_block(state, text.data() + at);

  std::string tail(text.substr(whole));
  tail += '\x80';
  while (tail.size() % kBlock != kBlock - 8) tail += '\0';
  const uint64_t bits = uint64_t{text.size()} * 8;
  for (int shift = 56; shift >= 0; shift -= 8) tail += static_cast<char>(bits >> shift);
  for (size_t at = 0; at < tail.size(); at += kBlock) absorb_block(state, tail.data() + at);

  std::string hex;
  for (const uint32_t word : state) hex += fmt::format("{:08x}", word);
  return hex;
}

std::string git_blob_sha1(std::string_view content) {
  std::string blob = fmt::format("blob {}", content.size());
  blob += '\0';
  blob += content;
  return sha1_hex(blob);
}

}  // namespace adasample
