// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/helper_program.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace adasample {
namespace {

TEST(HelperProgram, IsFoundBesideThisOneOrNamed) {
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe");
  EXPECT_EQ(helper_program(self.filename()), self);
  testing::expect_error([] { helper_program("no-such-program"); }, "no-such-program", "libexec/adasample",
                        "install adasample again");
}

}  // namespace
}  // namespace adasample
