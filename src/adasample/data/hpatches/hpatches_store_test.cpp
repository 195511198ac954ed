// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/hpatches/hpatches_store.h"

#include <gtest/gtest.h>

#include "adasample/base/bytes/sha256.h"
#include "adasample/base/files/file_io.h"
#include "adasample/base/parallel.h"
#include "adasample/data/patch_store.h"
#include "adasample/data/sequences/sequences.h"
#include "adasample/data/store/provenance.h"
#include "tests/support/expect_error.h"
#include "tests/support/golden.h"
#include "tests/support/hpatches_set.h"
#include "tests/support/sequence_set.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

using testing::expect_error;
using testing::TempFolder;

const std::string kGolden = std::string(ADASAMPLE_SOURCE_DIR) + "/tests/golden/hpatches";

PatchStore make_golden(const std::string& part, int size, const std::filesystem::path& out) {
  make_hpatches_store(kGolden + "/patches", read_splits(kGolden + "/splits.json"),
                      {.choice = {.split = "fakea", .part = part}, .patch_size = size}, out);
  return PatchStore::open(out);
}

// Classes one after another, each ref, e1..e5, h1..h5, t1..t5, as OpenCV resizes them (65 to 64, then to 32).
TEST(HpatchesStore, GoldenSequencesBecomeTheExpectedClasses) {
  const TempFolder folder;
  const auto expected = testing::golden("hpatches/expected.json")["sequences"];
  for (const int size : {32, 64}) {
    const PatchStore store = make_golden("test", size, folder / std::to_string(size));
    EXPECT_EQ(store.patch_size(), size);
    int64_t c = 0;
    for (const std::string name : {"v_ff", "i_aa", "v_dd", "i_cc"}) {
      Sha256 sha;
      const int64_t end = c + expected[name]["count"].get<int64_t>();
      for (; c < end; ++c) {
        ASSERT_EQ(store.class_size(c), 16);
        for (int64_t i = 0; i < 16; ++i) sha.update(store.patch(store.class_begin(c) + i));
      }
      EXPECT_EQ(sha.hex(), expected[name]["classes" + std::to_string(size) + "_sha256"].get<std::string>()) << name;
    }
    EXPECT_EQ(c, store.class_count());
  }
}

TEST(HpatchesStore, MetaNamesSplitSequencesAndCounts) {
  const TempFolder folder;
  const PatchStore train = make_golden("train", 32, folder / "train"), test = make_golden("test", 32, folder / "test");
  EXPECT_EQ(train.meta()["source"], "HPatches");
  EXPECT_EQ(train.meta()["split"], "fakea");
  EXPECT_EQ(train.meta()["part"], "train");
  EXPECT_EQ(train.meta()["scenes"], nlohmann::json({"i_bb", "v_ee"}));
  EXPECT_EQ(train.meta()["scene_classes"], nlohmann::json({27, 21}));
  EXPECT_EQ(train.meta()["options"]["patch_size"], 32);
  EXPECT_FALSE(share_scenes(train.meta(), test.meta()));

  make_hpatches_store(kGolden + "/patches", benchmark_splits(),
                      {.choice = {.split = "full", .part = "test"}, .patch_size = 32}, folder / "all");
  const PatchStore all = PatchStore::open(folder / "all");
  EXPECT_EQ(all.class_count(), 40 + 27 + 33 + 46 + 21 + 30);
  EXPECT_TRUE(share_scenes(train.meta(), all.meta()));
  EXPECT_TRUE(share_scenes(all.meta(), test.meta()));
}

// What `data sequences` makes of three pictures is a store of classes of seven: ref, and three levels of two targets.
TEST(HpatchesStore, SequencesOfFewerPicturesMakeSmallerClasses) {
  const TempFolder folder;
  testing::write_small_sequence(folder / "in");
  make_sequences(folder / "in", {.max_patches = 5}, folder / "patches");
  make_hpatches_store(folder / "patches", benchmark_splits(),
                      {.choice = {.split = "full", .part = "test"}, .patch_size = 32}, folder / "store");
  const PatchStore store = PatchStore::open(folder / "store");
  ASSERT_EQ(store.class_count(), 5);
  for (int64_t c = 0; c < 5; ++c) EXPECT_EQ(store.class_size(c), 7);
}

TEST(HpatchesStore, BytesDoNotDependOnTheThreadCount) {
  const TempFolder folder;
  const int threads = thread_count();
  set_thread_count(1);
  const std::string one = make_golden("train", 32, folder / "one").fingerprint();
  set_thread_count(5);
  const std::string five = make_golden("train", 32, folder / "five").fingerprint();
  set_thread_count(threads);
  EXPECT_EQ(one, five);
}

TEST(HpatchesStore, FailureLeavesNothingBehind) {
  const TempFolder folder;
  testing::make_sequence(folder / "root", "i_a", 2);
  testing::make_sequence(folder / "root", "v_b", 2);
  std::filesystem::remove(folder / "root/v_b/h4.png");
  const HpatchesStoreOptions everything{.choice = {.split = "full", .part = "test"}, .patch_size = 32};
  const auto make = [&](HpatchesStoreOptions options) {
    make_hpatches_store(folder / "root", benchmark_splits(), options, folder / "out" / "store");
  };
  std::filesystem::create_directories(folder / "out");
  expect_error([&] { make(everything); }, "v_b/h4.png: is missing");
  EXPECT_TRUE(std::filesystem::is_empty(folder / "out"));
  expect_error([&] { make({.choice = everything.choice, .patch_size = 65}); }, "patch_size = 65, must be 32 or 64");
  remove_tree(folder / "root/v_b");
  make(everything);
  expect_error([&] { make(everything); }, "exists");
}

}  // namespace
}  // namespace adasample
