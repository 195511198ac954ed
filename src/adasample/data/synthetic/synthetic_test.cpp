// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/synthetic.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "adasample/base/files/file_io.h"
#include "adasample/base/parallel.h"
#include "adasample/data/patch_store.h"
#include "adasample/data/store/provenance.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

using testing::expect_error;
using testing::TempFolder;

SyntheticOptions small() { return {.classes = 90, .cut = {.views = 6}, .seed = 5, .classes_per_scene = 20}; }

double mean_difference(const PatchStore& store, int64_t a, int64_t b) {
  double sum = 0;
  for (size_t i = 0; i < store.patch(a).size(); ++i) sum += std::abs(store.patch(a)[i] - store.patch(b)[i]);
  return sum / static_cast<double>(store.patch(a).size());
}

TEST(Synthetic, StoreHoldsWhatWasAskedFor) {
  const TempFolder folder;
  make_synthetic_store(small(), folder / "store");
  const PatchStore store = PatchStore::open(folder / "store");
  EXPECT_EQ(store.class_count(), 90);
  EXPECT_EQ(store.patch_count(), 540);
  EXPECT_EQ(store.patch_size(), 32);
  EXPECT_EQ(store.meta()["source"], "synthetic dead leaves");
  EXPECT_EQ(store.meta()["part"], "train");
  EXPECT_EQ(store.meta()["scenes"], 5);
  EXPECT_EQ(store.meta()["options"]["jitter"], "graded");
}

// Graded views drift away from the easiest one, and even the hardest stays closer to its own class than to others.
TEST(Synthetic, ViewsGrowHarderAndShowOneSpot) {
  const TempFolder folder;
  make_synthetic_store(small(), folder / "store");
  const PatchStore store = PatchStore::open(folder / "store");
  double easy = 0, hard = 0, other = 0;
  for (int64_t c = 0; c < store.class_count(); ++c) {
    const int64_t first = store.class_begin(c);
    easy += mean_difference(store, first, first + 1);
    hard += mean_difference(store, first, first + 5);
    other += mean_difference(store, first, store.class_begin((c + 1) % store.class_count()));
  }
  EXPECT_LT(1.3 * easy, hard);
  EXPECT_LT(1.2 * hard, other);
}

// Keypoints found again: a class has as many patches as views showed it, each with how far off it was found.
TEST(Synthetic, ClassesOfADetectorsOwnKeypoints) {
  const TempFolder folder;
  SyntheticOptions options = small();
  options.redetect = {.on = true, .max_turn = 45};
  make_synthetic_store(options, folder / "store");
  const PatchStore store = PatchStore::open(folder / "store");
  EXPECT_EQ(store.class_count(), 90);
  EXPECT_EQ(store.meta()["options"]["redetect"]["max_turn"], 45);
  double same = 0, other = 0;
  bool fewer = false;
  for (int64_t c = 0; c < store.class_count(); ++c) {
    const int64_t first = store.class_begin(c), size = store.class_size(c);
    EXPECT_TRUE(size >= 2 && size <= 6) << size;
    fewer = fewer || size < 6;
    EXPECT_EQ(store.strength(first), 0);
    for (int64_t i = 1; i < size; ++i) EXPECT_LE(store.strength(first + i), 0.5);  // an overlap of a half is asked for
    same += mean_difference(store, first, first + size - 1);
    other += mean_difference(store, first, store.class_begin((c + 1) % store.class_count()));
  }
  EXPECT_TRUE(fewer);
  EXPECT_LT(1.2 * same, other);
  options.part = "heldout";
  make_synthetic_store(options, folder / "heldout");
  EXPECT_NE(PatchStore::open(folder / "heldout").meta()["sha256"], store.meta()["sha256"]);
  options.redetect.max_turn = 0;
  expect_error([&] { make_synthetic_store(options, folder / "no"); }, "max_turn = 0");
}

TEST(Synthetic, BytesFollowTheOptionsAndNotTheThreads) {
  const TempFolder folder;
  const int threads = thread_count();
  set_thread_count(1);
  make_synthetic_store(small(), folder / "one");
  set_thread_count(2);
  make_synthetic_store(small(), folder / "two");
  make_synthetic_store(small(), folder / "again");
  set_thread_count(threads);
  for (const char* file : {"patches.npy", "classes.npy", "meta.json"}) {
    const std::string expected = read_text(folder / "one" / file);
    EXPECT_EQ(expected, read_text(folder / "two" / file)) << file;
    EXPECT_EQ(expected, read_text(folder / "again" / file)) << file;
  }
}

TEST(Synthetic, PartsAndSeedsDiffer) {
  const TempFolder folder;
  SyntheticOptions options = small();
  make_synthetic_store(options, folder / "train");
  options.part = "heldout";
  make_synthetic_store(options, folder / "heldout");
  options.seed = 6;
  make_synthetic_store(options, folder / "other");
  const PatchStore train = PatchStore::open(folder / "train"), heldout = PatchStore::open(folder / "heldout");
  const PatchStore other = PatchStore::open(folder / "other");
  EXPECT_NE(train.fingerprint(), heldout.fingerprint());
  EXPECT_NE(other.fingerprint(), heldout.fingerprint());
  EXPECT_TRUE(share_scenes(train.meta(), train.meta()));
  EXPECT_FALSE(share_scenes(train.meta(), heldout.meta()));
  EXPECT_FALSE(share_scenes(other.meta(), heldout.meta()));
}

TEST(Synthetic, BadOptionsAreNamed) {
  const TempFolder folder;
  const auto refuses = [&](SyntheticOptions options, const std::string& why) {
    expect_error([&] { make_synthetic_store(options, folder / "store"); }, "Options::", why);
  };
  refuses({.classes = 0}, "classes = 0, must be >= 1");
  refuses({.cut = {.views = 1}}, "views = 1, must be 2 to 4096");
  refuses({.cut = {.patch_size = 4}}, "patch_size = 4");
  refuses({.part = "test"}, "part = \"test\", must be one of train, heldout");
  refuses({.cut = {.region_factor = std::nan("")}}, "region_factor = nan");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  expect_error([&] { make_synthetic_store({.cut = {.views = 2, .region_factor = 100}}, folder / "store"); }, "[synth]",
               "scenes in a row without a usable keypoint");
}

}  // namespace
}  // namespace adasample
