// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/instruction_set.h"

#include <gtest/gtest.h>
#include <stdlib.h>

namespace adasample {
namespace {

class InstructionSet : public ::testing::Test {
 protected:
  InstructionSet() {
    if (const char* set = ::getenv(kSetting)) before_ = set;
  }
  ~InstructionSet() override {
    if (before_.empty()) {
      ::unsetenv(kSetting);
    } else {
      ::setenv(kSetting, before_.c_str(), 1);
    }
  }
  static constexpr const char* kSetting = "ADASAMPLE_MAX_ISA";
  std::string before_;
};

TEST_F(InstructionSet, NothingBetterThanTheSetting) {
  ::setenv(kSetting, "avx2", 1);
  EXPECT_FALSE(allows_instruction_set("avx512_vnni"));
  EXPECT_FALSE(allows_instruction_set("avx512"));
  EXPECT_TRUE(allows_instruction_set("avx2"));
  EXPECT_TRUE(allows_instruction_set("sse4"));
  EXPECT_EQ(problem_of_instruction_set(), "");
  ::unsetenv(kSetting);
  EXPECT_TRUE(allows_instruction_set("avx512_vnni"));
  EXPECT_EQ(problem_of_instruction_set(), "");
}

TEST_F(InstructionSet, ASettingThatNobodyKnowsIsTold) {
  ::setenv(kSetting, "avx3", 1);
  EXPECT_TRUE(allows_instruction_set("avx512_vnni"));
  EXPECT_NE(problem_of_instruction_set().find("'avx3' is none of avx512_vnni, avx512, avx2"), std::string::npos);
}

}  // namespace
}  // namespace adasample
