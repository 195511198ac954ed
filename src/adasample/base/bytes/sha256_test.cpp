// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/bytes/sha256.h"

#include <gtest/gtest.h>

#include <string_view>

namespace adasample {
namespace {

std::span<const uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

std::string sha256(std::string_view text) {
  Sha256 hash;
  hash.update(text);
  return hash.hex();
}

// The examples of FIPS 180-4 / NIST CSRC.
TEST(Sha256, NistVectors) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
                   "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"),
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
  EXPECT_EQ(sha256(std::string(1'000'000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PiecesDoNotMatter) {
  std::string text;
  for (int i = 0; i < 300; ++i) text.push_back(static_cast<char>(i));
  for (size_t length = 0; length <= text.size(); ++length) {  // every position of the padding
    const std::string_view all = std::string_view(text).substr(0, length);
    Sha256 pieces;
    for (size_t at = 0, step = 1; at < length; at += step, step = step * 3 % 101) {
      pieces.update(bytes_of(all.substr(at, step)));
    }
    ASSERT_EQ(pieces.hex(), sha256(all)) << length;
  }
}

}  // namespace
}  // namespace adasample
