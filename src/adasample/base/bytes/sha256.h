// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4), for fingerprints of stores and weights. Our own, so that the readers need no crypto library.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace adasample {

class Sha256 {
 public:
  void update(std::span<const uint8_t> bytes);
  void update(std::string_view text) { update({reinterpret_cast<const uint8_t*>(text.data()), text.size()}); }
  // Lower-case hex of the digest; the object is spent afterwards.
  std::string hex();

 private:
  void block(const uint8_t* bytes);

  std::array<uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<uint8_t, 64> pending_{};
  uint64_t length_ = 0;
};

// Of a whole file; throws Error when it cannot be opened.
std::string sha256_of_file(const std::filesystem::path& path);

}  // namespace adasample
