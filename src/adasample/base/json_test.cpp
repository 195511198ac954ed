// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/json.h"

#include <gtest/gtest.h>

#include "adasample/base/files/file_io.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

using testing::expect_error;

std::string nested(int depth, const char* open = "[", const char* close = "]") {
  std::string text;
  for (int i = 0; i < depth; ++i) text += open;
  if (std::string(open) != "[") text += "1";
  for (int i = 0; i < depth; ++i) text += close;
  return text;
}

TEST(Json, DepthIsBounded) {
  EXPECT_EQ(parse_json(nested(kMostDepth), "x").dump(), nested(kMostDepth));
  for (const std::string& deep :
       {nested(kMostDepth + 1), nested(1'000'000), nested(1'000'000, "{\"a\":", "}"), std::string(1'000'000, '[')}) {
    expect_error([&] { parse_json(deep, "[m] f"); }, "[m] f: expected JSON", "nested more than 64 deep");
  }
}

TEST(Json, BracketsInStringsAreNoDepth) {
  const std::string brackets = "\"" + std::string(100, '[') + "\\\"" + std::string(100, '{') + "\\\\\"";
  EXPECT_EQ(parse_json("[" + brackets + "]", "x")[0].get<std::string>().size(), 202u);
  EXPECT_TRUE(is_too_deep("\"a\\\\\"" + std::string(65, '[')));
  EXPECT_FALSE(is_too_deep("[" + nested(63) + "," + nested(63) + "]"));
}

TEST(Json, MembersAreCounted) {
  EXPECT_EQ(member_count(R"({"a": {"b:c": 1, "d\":": [2, {"e": 3}]}})"), 4u);
  EXPECT_EQ(member_count("[1, 2]"), 0u);
}

TEST(Json, AKeyThatOccursTwiceIsFound) {
  EXPECT_EQ(repeated_key(R"({"a": 1, "b": {"a": 2, "c": [{"d": 1}, {"d": 1}]}})"), std::nullopt);
  EXPECT_EQ(repeated_key(R"({"a": 1, "b": {"c": 2, "c": 3}})"), "c");
  EXPECT_EQ(repeated_key(R"({"a": 1, "\u0061": 3})"), "a");
  for (const char* bad : {"", "{\"a\": 1, ", "1e999"}) EXPECT_EQ(repeated_key(bad), std::nullopt) << bad;
}

TEST(Json, NothingWhereItIsNone) {
  EXPECT_EQ(try_parse_json("[1]")->dump(), "[1]");
  EXPECT_EQ(try_parse_json("null")->type_name(), std::string("null"));
  for (const std::string& bad : {std::string("[1"), std::string(), nested(65)})
    EXPECT_FALSE(try_parse_json(bad)) << bad;
}

TEST(Json, OfCborToo) {
  const auto lists = [](int depth) { return std::string(static_cast<size_t>(depth - 1), '\x81') + "\x80"; };
  EXPECT_EQ(try_parse_cbor(lists(3))->dump(), "[[[]]]");
  EXPECT_TRUE(try_parse_cbor(lists(kMostDepth)));
  EXPECT_FALSE(try_parse_cbor(lists(kMostDepth + 1)));
  EXPECT_FALSE(try_parse_cbor(lists(1'000'000)));
  const nlohmann::json wide = {{"a", {{1}, {2}}}, {"b", {{"c", {{"d", nullptr}}}}}};
  const std::vector<uint8_t> bytes = nlohmann::json::to_cbor(wide);
  EXPECT_EQ(try_parse_cbor({reinterpret_cast<const char*>(bytes.data()), bytes.size()}), wide);
  EXPECT_FALSE(try_parse_cbor(""));
  EXPECT_FALSE(try_parse_cbor("\x80x"));
}

TEST(Json, SaysWhereItIsNone) {
  expect_error([] { parse_json("{\"a\": }", "[m] f"); }, "[m] f: expected JSON: parse error at line 1, column 7");
  expect_error([] { parse_json("", "[m] f"); }, "unexpected end of input");
  expect_error([] { parse_json("1e999", "[m] f"); }, "[m] f: expected JSON: number overflow");
}

TEST(Json, FilesHaveALimit) {
  const testing::TempFolder folder;
  write_file_atomically(folder / "f", "[1]");
  EXPECT_EQ(read_json(folder / "f", "m").dump(), "[1]");
  std::filesystem::resize_file(folder / "f", kMostJson + 1);
  expect_error([&] { read_json(folder / "f", "m"); }, "has more than 64 MiB");
}

}  // namespace
}  // namespace adasample
