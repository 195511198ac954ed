// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/hpatches/hpatches_splits.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "adasample/base/bytes/sha256.h"
#include "adasample/data/hpatches/hpatches_sequences.h"
#include "tests/support/expect_error.h"
#include "tests/support/golden.h"

namespace adasample {
namespace {

using testing::expect_error;
using Names = std::vector<std::string>;

std::string sha256_of(const std::string& text) {
  Sha256 sha;
  sha.update(text);
  return sha.hex();
}

Names sorted(Names names) {
  std::sort(names.begin(), names.end());
  return names;
}

// tests/golden/hpatches/expected.json: sha256 of the names in the benchmark's splits.json, joined by blanks.
TEST(HpatchesSplits, BuiltInOnesAreTheBenchmarksNameByName) {
  const auto expected = testing::golden("hpatches/expected.json")["splits"];
  ASSERT_EQ(expected.size(), 6u);
  EXPECT_EQ(benchmark_splits().size(), 6u);
  for (const auto& [split, parts] : expected.items()) {
    for (const auto& [part, list] : parts.items()) {
      const Names names = split_part(benchmark_splits(), split, part);
      EXPECT_EQ(names.size(), list["count"]) << split << " " << part;
      EXPECT_EQ(sha256_of(fmt::format("{}", fmt::join(names, " "))), list["sha256"].get<std::string>())
          << split << " " << part;
    }
  }
}

TEST(HpatchesSplits, TrainAndTestShareNothing) {
  for (const char* split : {"a", "b", "c", "illum", "view"}) {
    Names all = split_part(benchmark_splits(), split, "test");
    const Names train = split_part(benchmark_splits(), split, "train");
    all.insert(all.end(), train.begin(), train.end());
    EXPECT_EQ(sorted(all), sorted(split_part(benchmark_splits(), "full", "test"))) << split;
  }
  EXPECT_EQ(split_part(benchmark_splits(), "illum", "train"), split_part(benchmark_splits(), "view", "test"));
  EXPECT_EQ(split_part(benchmark_splits(), "view", "train"), split_part(benchmark_splits(), "illum", "test"));
}

// The table that the benchmark's task files imply; its sha256 was taken of lines "name low high".
TEST(HpatchesSplits, CountsAreThoseOfTheTaskFiles) {
  std::string lines;
  int total = 0;
  for (const HpatchesCount& s : hpatches_release_sequences()) {
    lines += fmt::format("{} {} {}\n", s.name, s.low, s.high);
    total += s.low;
    EXPECT_LE(s.low, s.high);
  }
  EXPECT_EQ(total, 156935);
  EXPECT_EQ(sha256_of(lines), testing::golden("hpatches/expected.json")["counts_sha256"].get<std::string>());
}

TEST(HpatchesSplits, WrongNamesAreUsageErrorsThatListTheRightOnes) {
  expect_error([] { split_part(benchmark_splits(), "d", "test"); }, "no split 'd'", "a, b, c, full, illum, view");
  expect_error([] { split_part(benchmark_splits(), "full", "train"); }, "split full has no train part",
               "train on a, b, c, illum, view");
  expect_error([] { split_part(benchmark_splits(), "a", "val"); }, "part = 'val', must be train or test");
}

TEST(HpatchesSplits, FileOfTheBenchmarksFormIsRead) {
  const HpatchesSplits splits = read_splits(std::string(ADASAMPLE_SOURCE_DIR) + "/tests/golden/hpatches/splits.json");
  EXPECT_EQ(splits.size(), 2u);
  EXPECT_EQ(split_part(splits, "fakea", "test"), (Names{"v_ff", "i_aa", "v_dd", "i_cc"}));  // the file's order
  EXPECT_EQ(split_part(splits, "fakea", "train"), (Names{"i_bb", "v_ee"}));
  expect_error([&] { split_part(splits, "fake", "train"); }, "split fake has no train part", "train on fakea");
  const HpatchesSplits crossed = parse_splits(R"({"illum": {"test": ["i_a"]}, "view": {"test": ["v_b"]}})", "s.json");
  EXPECT_EQ(split_part(crossed, "illum", "train"), Names{"v_b"});
}

TEST(HpatchesSplits, RubbishIsRefusedWithItsPlace) {
  const auto refuses = [](const std::string& text, const std::string& what) {
    expect_error([&] { parse_splits(text, "s.json"); }, "[splits] s.json: ", what);
  };
  refuses("", "expected JSON");
  refuses(R"({"a": {"test": ["i_a")", "expected JSON");
  refuses("[1, 2]", "expected an object {\"split\"");
  refuses(R"({"a": {"test": ["../../secret"]}})", "found '../../secret', which leads elsewhere");
  refuses("{}", "found an empty one");
  refuses(R"({"a": ["i_a"]})", "split 'a': expected an object, found array");
  refuses(R"({"a": {"train": ["i_a"]}})", "split 'a': expected a list \"test\", found none");
  refuses(R"({"a": {"test": "i_a"}})", "split 'a': expected a list of sequence names, found string");
  refuses(R"({"a": {"test": [7]}})", "split 'a': expected the name of a sequence, found number");
  refuses(R"({"a": {"test": ["i_a", "i_a"]}})", "sequence 'i_a' is in the split twice");
  refuses(R"({"a": {"test": ["i_a"], "train": ["i_a"]}})", "sequence 'i_a' is in the split twice");
  expect_error([] { read_splits("/nowhere/splits.json"); }, "/nowhere/splits.json");
}

}  // namespace
}  // namespace adasample
