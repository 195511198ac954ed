// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/bytes/base64.h"

#include <gtest/gtest.h>

namespace adasample {
namespace {

TEST(Base64, TestVectorsOfTheRfc) {
  const std::vector<std::pair<std::string, std::string>> vectors = {
      {"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"fooba", "Zm9vYmE="}};
  for (const auto& [bytes, text] : vectors) {
    EXPECT_EQ(base64_encode(bytes), text);
    EXPECT_EQ(base64_decode(text), std::vector<uint8_t>(bytes.begin(), bytes.end()));
  }
}

TEST(Base64, EveryByteSurvives) {
  std::vector<uint8_t> bytes(256);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i);
  EXPECT_EQ(base64_decode(base64_encode(bytes)), bytes);
}

TEST(Base64, AnythingElseIsRefused) {
  for (const char* text :
       {"Z", "Zg", "Zg=", "Zg==\n", "Z===", "====", "Zm 9", "Zm9v=Zm9", "Zm9-", "Zh==", "Zm9=", "\xff\xff\xff\xff"})
    EXPECT_FALSE(base64_decode(text)) << text;
}

}  // namespace
}  // namespace adasample
