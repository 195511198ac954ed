// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/error.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace adasample {
namespace {

template <typename Action>
Error caught(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no Error was thrown";
  return {Error::Kind::kBug, "", "", 0};
}

TEST(Error, EachMacroHasItsKind) {
  EXPECT_EQ(caught([] { ADA_CHECK(false, "x"); }).kind(), Error::Kind::kWork);
  EXPECT_EQ(caught([] { ADA_THROW("x"); }).kind(), Error::Kind::kWork);
  EXPECT_EQ(caught([] { ADA_USAGE(false, "x"); }).kind(), Error::Kind::kUsage);
  EXPECT_EQ(caught([] { ADA_ASSERT(1 + 1 == 3); }).kind(), Error::Kind::kBug);
}

TEST(Error, SaysWhatAndWhere) {
  const Error error = caught([] { ADA_CHECK(false, "[x] {}:{}: expected {}", "info.txt", 12, "two fields"); });
  const int line = __LINE__ - 1;
  EXPECT_STREQ(error.what(), "[x] info.txt:12: expected two fields");
  EXPECT_TRUE(std::string(error.source_file()).ends_with("error_test.cpp"));
  EXPECT_EQ(error.source_line(), line);
}

TEST(Error, AnAssertShowsItsCondition) {
  const Error error = caught([] { ADA_ASSERT(1 + 1 == 3); });
  EXPECT_NE(std::string(error.what()).find("1 + 1 == 3"), std::string::npos);
  EXPECT_NE(std::string(error.what()).find("error_test.cpp"), std::string::npos);
}

TEST(Error, TrueConditionsEvaluateNoMessage) {
  int evaluated = 0;
  ADA_CHECK(true, "{}", ++evaluated);
  ADA_USAGE(true, "{}", ++evaluated);
  ADA_ASSERT(true);
  EXPECT_EQ(evaluated, 0);
}

TEST(Error, MacrosAreStatements) {
  if (false)
    ADA_CHECK(false, "not reached");
  else
    ADA_CHECK(true, "not thrown");
}

TEST(Error, ErrnoText) {
  EXPECT_EQ(errno_text(ENOENT), "No such file or directory");
  EXPECT_EQ(errno_text(ENOSPC), "the disk is full");
  EXPECT_EQ(errno_text(EDQUOT), "the quota is used up");
  EXPECT_EQ(errno_text(EROFS), "the file system is read-only");
}

TEST(Error, WhatItQuotesCannotActOnAScreenNorFillIt) {
  const Error error(Error::Kind::kWork, "cannot open \x1b[2J\n" + std::string(100'000, 'x'), "f", 1);
  EXPECT_TRUE(std::string(error.what()).starts_with("cannot open \\u001b[2J xxx")) << error.what();
  EXPECT_LT(std::string(error.what()).size(), 500u);
}

}  // namespace
}  // namespace adasample
