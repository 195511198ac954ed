// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/bytes/crc32c.h"

#include <gtest/gtest.h>

#include <string>

namespace adasample {
namespace {

// RFC 3720, B.4, and the customary check value.
TEST(Crc32c, KnownValues) {
  EXPECT_EQ(crc32c("123456789"), 0xE3069283u);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAu);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62A8AB43u);
  EXPECT_EQ(crc32c(""), 0u);
}

}  // namespace
}  // namespace adasample
