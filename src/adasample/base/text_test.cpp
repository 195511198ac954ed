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

TEST(Printable, WhatActsOnAScreenIsSpelledOut) {
  EXPECT_EQ(printable("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x90\xb1", false), "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x90\xb1");
  EXPECT_EQ(printable("\x1b[31mred\x1b]0;title\a", false), "\\u001b[31mred\\u001b]0;title\\u0007");
  EXPECT_EQ(printable("a\nb\tc\rd\x7f", true), "a\nb\tc\\u000dd\\u007f");
  EXPECT_EQ(printable("a\nb", false), "a\\u000ab");
  EXPECT_EQ(printable("\xc2\x9b" "31m", false), "\\u009b31m") << "a control sequence in one letter";
  EXPECT_EQ(printable("exe\xe2\x80\xae" "gpj.", false), "exe\\u202egpj.") << "turns the direction of writing";
  EXPECT_EQ(printable("\xe2\x81\xa6\xe2\x80\x8b\xef\xbb\xbf", false), "\\u2066\\u200b\\ufeff");
  EXPECT_EQ(printable("\xd8\x9c\xe1\xa0\x8e\xef\xbf\xb9", false), "\\u061c\\u180e\\ufff9");
  EXPECT_EQ(printable("\xf3\xa0\x81\x81", false), "\\U000e0041") << "a letter that nobody sees";
  for (const char* bad : {"\xff", "\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xe2\x82"}) {
    EXPECT_EQ(printable(bad, false).substr(0, 2), "\\x") << bad;
  }
  EXPECT_EQ(printable(std::string("a\0b", 3), false), "a\\u0000b");
}

TEST(MessageLine, IsOneShortLine) {
  EXPECT_EQ(message_line("first\nsecond\n"), "first second");
  const std::string exact(kLongestMessage, 'x');
  EXPECT_EQ(message_line(exact), exact);
  const std::string cut = message_line("begin" + std::string(1 << 20, 'x') + "\x1b" + "end");
  EXPECT_EQ(cut.size(), kLongestMessage);
  EXPECT_TRUE(cut.starts_with("beginxxx") && cut.ends_with("\\u001bend")) << cut;
  for (size_t length = 470; length < 500; ++length) {
    std::string wide(length % 3, 'x');
    while (wide.size() < 3 * length) wide += "\xe2\x82\xac";
    const std::string line = message_line(wide);
    EXPECT_LE(line.size(), kLongestMessage);
    EXPECT_EQ(line.find('\\'), std::string::npos) << "cut within a letter";
  }
}

}  // namespace
}  // namespace adasample
