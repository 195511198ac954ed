// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/hpatches/lists/hpatches_lists.h"

#include <gtest/gtest.h>

#include "adasample/base/files/file_io.h"
#include "tests/support/expect_error.h"

namespace adasample {
namespace {

using testing::expect_error;

const std::vector<SequenceShape> kShapes = {{"i_aa", 40}, {"i_bb", 27}, {"i_cc", 33},
                                            {"v_dd", 46}, {"v_ee", 21}, {"v_ff", 30, 3}};
const std::string kHeader = "s1,t1,idx1,s2,t2,idx2\n";

TEST(HpatchesLists, ReadAndWrittenByteForByte) {
  const std::vector<SequenceShape> shapes = {{"i_aa", 40}, {"i_bb", 27}, {"i_cc", 33},
                                             {"v_dd", 46}, {"v_ee", 21}, {"v_ff", 30}};
  for (const std::string kind : kListKinds) {
    const std::string text =
        read_text(std::string(ADASAMPLE_SOURCE_DIR) + "/tests/golden/hpatches/tasks/" + list_file(kind, "fake"));
    if (kind.starts_with("verif")) {
      EXPECT_EQ(format_list(parse_pair_list(text, kind, shapes), shapes), text);
    } else {
      EXPECT_EQ(format_list(parse_patch_list(text, kind, shapes), shapes), text);
    }
  }
}

TEST(HpatchesLists, FieldsMeanWhatTheySay) {
  const auto pairs = parse_pair_list(kHeader + "v_dd,3,45,v_ff,2,0\r\n", "x", kShapes);
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(pairs[0].first, (PatchPlace{3, 3, 45}));
  EXPECT_EQ(pairs[0].second, (PatchPlace{5, 2, 0}));
  EXPECT_EQ(parse_patch_list("s,idx\ni_bb,26\n", "x", kShapes), (std::vector<PatchPlace>{{1, 0, 26}}));
}

void expect_refused(const std::string& rows, const std::string& where, const std::string& expected) {
  expect_error([&] { parse_pair_list(kHeader + rows, "verif.csv", kShapes); }, "[tasks] verif.csv:" + where, expected);
}

TEST(HpatchesLists, BadRowsAreNamed) {
  expect_refused("i_aa,0,0,i_aa,1,0\ni_aa,0,40,i_aa,1,0\n", "3", "a patch of i_aa, 0 to 39, found '40'");
  expect_refused("i_aa,0,-1,i_aa,1,0\n", "2", "a patch of i_aa, 0 to 39, found '-1'");
  expect_refused("i_aa,6,0,i_aa,1,0\n", "2", "an image of i_aa, 0 to 5, found '6'");
  expect_refused("i_aa,0,0,v_ff,3,0\n", "2", "an image of v_ff, 0 to 2, found '3'");
  expect_refused("i_aa,x,0,i_aa,1,0\n", "2", "an image number, found 'x'");
  expect_refused("i_aa,0,1.5,i_aa,1,0\n", "2", "a patch number, found '1.5'");
  expect_refused("i_zz,0,0,i_aa,1,0\n", "2", "a sequence of the split, found 'i_zz'");
  expect_refused("i_aa,0,0,i_aa,1\n", "2", "6 fields");
  expect_refused("i_aa;0;0;i_aa;1;0\n", "2", "6 fields");
  expect_refused("i_aa,0,0,i_aa,1,0\n\ni_aa,0,0,i_aa,1,0\n", "3", "6 fields");
}

TEST(HpatchesLists, BadFilesAreNamed) {
  expect_error([] { parse_pair_list("", "f.csv", kShapes); }, "f.csv", "found an empty file");
  expect_error([] { parse_pair_list(kHeader, "f.csv", kShapes); }, "f.csv", "expected rows below the header");
  expect_error([] { parse_pair_list("s,idx\ni_aa,0\n", "f.csv", kShapes); }, "f.csv:1",
               "the header 's1,t1,idx1,s2,t2,idx2'");
  expect_error([] { parse_patch_list("i_aa,0\n", "f.csv", kShapes); }, "f.csv:1", "the header 's,idx', found 'i_aa,0'");
  expect_error([] { parse_patch_list("s,idx\ni_aa,40\n", "f.csv", kShapes); }, "f.csv:2", "0 to 39", "another version");
}

}  // namespace
}  // namespace adasample
