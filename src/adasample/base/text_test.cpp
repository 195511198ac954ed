// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/text.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace adasample {
namespace {

using Fields = std::vector<std::string_view>;

TEST(TextReader, WalksLinesAndForgetsBlankOnesAtTheEnd) {
  TextReader reader(" 1 2\t3 \r\n\nlast\r\n \n\n", "test", "f.txt");
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.line(), "1 2\t3");
  EXPECT_EQ(reader.fields(), (Fields{"1", "2", "3"}));
  EXPECT_EQ(reader.number<int>(2, "a number"), 3);
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.line(), "");
  EXPECT_TRUE(reader.fields().empty());
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.line(), "last");
  EXPECT_EQ(reader.line_number(), 3);
  EXPECT_FALSE(reader.next());
  EXPECT_FALSE(TextReader("\n \r\n", "test", "f").next());
}

TEST(TextReader, SeparatedFieldsKeepEmptyOnes) {
  TextReader reader("a, b c ,,", "test", "f.csv");
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.fields(','), (Fields{"a", "b c", "", ""}));
}

TEST(TextReader, ComplaintsNameFileLineAndFinding) {
  TextReader reader("1\nx\x01y", "test", "f.txt");
  ASSERT_TRUE(reader.next());
  reader.fields();
  testing::expect_error([&] { reader.number<int>(1, "a second number"); }, "[test] f.txt:1: expected a second number",
                        "the line ends");
  ASSERT_TRUE(reader.next());
  reader.fields();
  testing::expect_error([&] { reader.number<double>(0, "a number"); }, "f.txt:2: expected a number, found 'x?y'");
}

TEST(ParseNumber, TakesTheWholeTextAndFiniteValuesOnly) {
  int i = 0;
  double d = 0;
  EXPECT_TRUE(parse_number("-12", i) && i == -12);
  EXPECT_TRUE(parse_number("+5", i) && i == 5);
  EXPECT_TRUE(parse_number("1e-3", d) && d == 1e-3);
  for (const char* bad : {"", "+", "1x", " 1", "99999999999999", "0x10", "1.5"})
    EXPECT_FALSE(parse_number(bad, i)) << bad;
  for (const char* bad : {"", "nan", "inf", "1e999", "1,5"}) EXPECT_FALSE(parse_number(bad, d)) << bad;
}

TEST(Shown, IsShortAndPrintable) {
  EXPECT_EQ(shown("a\nb"), "'a?b'");
  EXPECT_EQ(shown(std::string(100, 'x')), "'" + std::string(40, 'x') + "...'");
}

TEST(Text, WhatIsNoUtf8IsReplaced) {
  EXPECT_EQ(as_utf8("gr\xc3\xbc\xc3\x9f \"<&>\"\n"), "gr\xc3\xbc\xc3\x9f \"<&>\"\n");
  EXPECT_EQ(as_utf8("a\xff z"), "a\xef\xbf\xbd z");
  EXPECT_EQ(as_utf8("cut \xc3"), "cut \xef\xbf\xbd");
}

}  // namespace
}  // namespace adasample
