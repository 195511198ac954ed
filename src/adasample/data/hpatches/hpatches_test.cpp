// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/hpatches/hpatches.h"

#include <gtest/gtest.h>

#include "adasample/base/bytes/sha256.h"
#include "adasample/base/files/file_io.h"
#include "tests/support/expect_error.h"
#include "tests/support/golden.h"
#include "tests/support/hpatches_set.h"
#include "tests/support/temp_folder.h"
#include "tests/support/warnings.h"

namespace adasample {
namespace {

using testing::expect_error;
using testing::make_sequence;
using testing::random_strip;
using testing::TempFolder;
using testing::write_strip;
using Names = std::vector<std::string>;

const std::string kGoldenPatches = std::string(ADASAMPLE_SOURCE_DIR) + "/tests/golden/hpatches/patches";

// tests/golden/hpatches: six sequences in the official layout; pixels as independent code (zlib alone) decodes them.
TEST(Hpatches, GoldenSequencesHaveTheirCountsAndPixels) {
  const auto expected = testing::golden("hpatches/expected.json")["sequences"];
  EXPECT_EQ(list_hpatches(kGoldenPatches), (Names{"i_aa", "i_bb", "i_cc", "v_dd", "v_ee", "v_ff"}));
  for (const auto& [name, figures] : expected.items()) {
    const HpatchesSequence sequence = load_hpatches(kGoldenPatches, name);
    EXPECT_EQ(sequence.name, name);
    EXPECT_EQ(sequence.count, figures["count"]);
    Sha256 sha;
    for (size_t s = 0; s < kHpatchesStrips.size(); ++s) {
      for (int64_t i = 0; i < sequence.count; ++i) sha.update(sequence.patch(s, i));
    }
    EXPECT_EQ(sha.hex(), figures["pixels_sha256"].get<std::string>()) << name;
  }
}

TEST(Hpatches, PatchIsRowsOfItsStrip) {
  const TempFolder root;
  make_sequence(root.path(), "v_x", 3);
  const HpatchesSequence sequence = load_hpatches(root.path(), "v_x");
  ASSERT_EQ(sequence.count, 3);
  const ByteImage h2 = read_strip(root / "v_x/h2.png");
  const std::span<const uint8_t> patch = sequence.patch(7, 2);
  ASSERT_EQ(patch.size(), 65u * 65u);
  EXPECT_TRUE(std::equal(patch.begin(), patch.end(), h2.pixels.begin() + 2 * 65 * 65));
  expect_error([&] { sequence.patch(0, 3); }, "[bug]");
}

TEST(Hpatches, ListPassesOverWhatIsNoSequence) {
  const TempFolder root;
  expect_error([&] { list_hpatches(root.path()); }, "expected folders i_* and v_*", "found none");
  expect_error([&] { list_hpatches(root / "none"); }, "none: cannot be listed");
  make_sequence(root.path(), "v_b", 1);
  make_sequence(root.path(), "i_c", 1);
  make_sequence(root.path(), "graffiti", 1);  // a set of one's own may call its sequences anything
  std::filesystem::create_directories(root / "descriptors");
  std::filesystem::create_directories(root / ".git");
  write_file_atomically(root / "i_readme.txt", "a file");
  EXPECT_EQ(list_hpatches(root.path()), (Names{"graffiti", "i_c", "v_b"}));
}

class HpatchesDamage : public ::testing::Test {
 protected:
  HpatchesDamage() { make_sequence(root_.path(), "i_x", 2); }
  template <typename... Parts>
  void expect_refused(const Parts&... parts) {
    expect_error([&] { load_hpatches(root_.path(), "i_x"); }, "i_x/t3.png: ", parts...);
  }
  TempFolder root_;
  const std::filesystem::path file_ = root_ / "i_x/t3.png";
};

TEST_F(HpatchesDamage, MissingStrip) {
  std::filesystem::remove(file_);
  expect_refused("[hpatches]", "is missing", "16 strips: ref, e1, e2");
}

// Only what `data sequences` made may have fewer pictures, and then all strips of those it has.
TEST_F(HpatchesDamage, FewerPicturesInASetOfItsOwn) {
  for (const char* strip : {"e3", "e4", "e5", "h3", "h4", "h5", "t3", "t4", "t5"}) {
    std::filesystem::remove(root_ / "i_x" / (std::string(strip) + ".png"));
  }
  expect_error([&] { load_hpatches(root_.path(), "i_x"); }, "i_x/", "png: is missing");
  write_file_atomically(root_ / "sequences.json", "{}\n");
  const HpatchesSequence sequence = load_hpatches(root_.path(), "i_x");
  ASSERT_EQ(sequence.strips.size(), 7u);  // ref, e1, e2, h1, h2, t1, t2
  EXPECT_EQ(sequence.strips[4].pixels, read_strip(root_ / "i_x/h2.png").pixels);
  EXPECT_EQ(sequence.strips[6].pixels, read_strip(root_ / "i_x/t2.png").pixels);
  std::filesystem::remove(root_ / "i_x/h2.png");
  expect_error([&] { load_hpatches(root_.path(), "i_x"); }, "i_x/h2.png: is missing");
  for (const char* strip : {"e1", "e2", "h1", "t1", "t2"}) {
    std::filesystem::remove(root_ / "i_x" / (std::string(strip) + ".png"));
  }
  expect_error([&] { load_hpatches(root_.path(), "i_x"); }, "1.png: is missing");  // a reference alone is no sequence
}

TEST_F(HpatchesDamage, TruncatedStrip) {
  std::filesystem::resize_file(file_, std::filesystem::file_size(file_) / 2);
  expect_refused("truncated?");
}

TEST_F(HpatchesDamage, EmptyStrip) {
  std::filesystem::resize_file(file_, 0);
  expect_refused("found an empty file");
}

TEST_F(HpatchesDamage, FolderInPlaceOfAStrip) {
  std::filesystem::remove(file_);
  std::filesystem::create_directories(file_);
  expect_error([&] { load_hpatches(root_.path(), "i_x"); }, "i_x/t3.png");
}

TEST_F(HpatchesDamage, WrongWidth) {
  write_strip(file_, random_strip(1, 64, 130));
  expect_refused("expected a strip of 65 pixels width, found 64");
}

TEST_F(HpatchesDamage, HeightThatIsNoMultiple) {
  write_strip(file_, random_strip(1, 65, 129));
  expect_refused("multiple of 65, found 129 = 1 patches and 64 rows");
}

TEST_F(HpatchesDamage, OtherCountThanTheReference) {
  write_strip(file_, random_strip(1, 65, 65));
  expect_refused("expected 2 patches as in ref.png, found 1");
}

TEST(HpatchesChoice, GoesByTheSplitsOrder) {
  const HpatchesSplits splits = read_splits(kGoldenPatches + "/../splits.json");
  EXPECT_EQ(choose_hpatches(kGoldenPatches, splits, {.split = "fakea", .part = "test"}),
            (Names{"v_ff", "i_aa", "v_dd", "i_cc"}));
  EXPECT_EQ(choose_hpatches(kGoldenPatches, splits, {.split = "fakea", .part = "train"}), (Names{"i_bb", "v_ee"}));
}

TEST(HpatchesChoice, MissingSequencesAreNamedOrAllowed) {
  const TempFolder root;
  make_sequence(root.path(), "i_a", 1);
  make_sequence(root.path(), "v_z", 1);
  const HpatchesSplits splits = {{"s", {{"v_b", "i_a", "v_c"}, {"v_d"}}}};
  HpatchesChoice choice{.split = "s", .part = "test"};
  expect_error([&] { choose_hpatches(root.path(), splits, choice); }, "2 of the 3 sequences of split s (test)",
               "missing: v_b, v_c - ", "--allow-missing");
  choice.allow_missing = true;
  EXPECT_EQ(choose_hpatches(root.path(), splits, choice), Names{"i_a"});
  const std::string where = ": it is not in " + root.path().string();
  EXPECT_EQ(testing::take_warnings(), (Names{"left out v_b" + where, "left out v_c" + where}));
  choice.part = "train";
  expect_error([&] { choose_hpatches(root.path(), splits, choice); }, "none of the 1 sequences of split s (train)",
               "but i_a, v_z");
}

TEST(HpatchesChoice, TwentyMissingSequencesAreNamedTheRestCounted) {
  const TempFolder root;
  make_sequence(root.path(), "i_dome", 1);
  choose_hpatches(root.path(), benchmark_splits(), {.split = "illum", .part = "test", .allow_missing = true});
  const Names warnings = testing::take_warnings();  // 57 sequences
  ASSERT_EQ(warnings.size(), 21u);
  EXPECT_EQ(warnings[20], "left out 36 more sequences");
}

TEST(HpatchesChoice, FullIsWhateverIsThereInTheBenchmarksOrder) {
  const TempFolder root;
  for (const char* name : {"v_circus", "i_aaa", "i_table", "i_crownnight"}) make_sequence(root.path(), name, 1);
  HpatchesChoice choice{.split = "full", .part = "test"};
  const Names expected = {"i_crownnight", "i_table", "v_circus", "i_aaa"};
  EXPECT_EQ(choose_hpatches(root.path(), benchmark_splits(), choice), expected);
  const Names missing = {root.path().string() +
                         ": 113 of the 116 sequences of split full are missing, i_objects "
                         "first: this is not the whole split"};
  EXPECT_EQ(testing::take_warnings(), missing);
  EXPECT_EQ(choose_hpatches(root.path(), {{"other", {{"i_aaa"}, {}}}}, choice), expected);
  EXPECT_EQ(testing::take_warnings(), missing);
  const HpatchesSplits own = {{"full", {{"v_circus", "i_missing", "i_aaa"}, {}}}};
  EXPECT_EQ(choose_hpatches(root.path(), own, choice), (Names{"v_circus", "i_aaa", "i_crownnight", "i_table"}));
  EXPECT_EQ(testing::take_warnings().size(), 1u);
  write_file_atomically(root / kSequencesFile, "{}");  // its names mean nothing
  EXPECT_EQ(choose_hpatches(root.path(), benchmark_splits(), choice), expected);
  choice.part = "train";
  expect_error([&] { choose_hpatches(root.path(), benchmark_splits(), choice); }, "split full has no train part");
}

TEST(HpatchesChoice, BadOptionsAreNamed) {
  expect_error([] { HpatchesChoice{.split = ""}.validate(); }, "HpatchesChoice::split = \"\"");
  expect_error([] { HpatchesChoice{.split = "a", .part = "val"}.validate(); }, "part = \"val\", must be train or test");
}

}  // namespace
}  // namespace adasample
