// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/store/patch_sample.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "adasample/base/files/file_io.h"
#include "adasample/image/image.h"
#include "tests/support/expect_error.h"
#include "tests/support/small_store.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

using testing::expect_error;

bool is_patch(const PatchSample& sample, int64_t index, std::span<const uint8_t> patch) {
  return std::equal(patch.begin(), patch.end(), sample.pixels.begin() + index * std::ssize(patch));
}

TEST(PatchSample, PairsSpreadOverAStore) {
  const testing::TempFolder folder;
  const PatchStore store = testing::small_store(folder / "s", 10, 3, 64);
  const PatchSample some = sample_patches(folder / "s", 9);  // four pairs: classes 0, 2, 5, 7
  EXPECT_TRUE(some.paired);
  EXPECT_EQ(some.size, 64);
  ASSERT_EQ(some.count, 8);
  ASSERT_EQ(some.pixels.size(), 8u * 64 * 64);
  const std::vector<int64_t> classes = {0, 2, 5, 7};
  for (size_t i = 0; i < 4; ++i) {
    for (const int64_t view : {0, 1}) {
      EXPECT_TRUE(is_patch(some, 2 * static_cast<int64_t>(i) + view, store.patch(3 * classes[i] + view))) << i;
    }
  }
  EXPECT_EQ(sample_patches(folder / "s", 1000).count, 20) << "two of each class, no more";
}

TEST(PatchSample, SpreadsOverAnArray) {
  const testing::TempFolder folder;
  const PatchStore store = testing::small_store(folder / "s", 10, 3);
  const PatchSample some = sample_patches(folder / "s/patches.npy", 4);  // of 30: 0, 7, 15, 22
  EXPECT_FALSE(some.paired);
  ASSERT_EQ(some.count, 4);
  EXPECT_TRUE(is_patch(some, 1, store.patch(7)));
  EXPECT_TRUE(is_patch(some, 3, store.patch(22)));
  EXPECT_EQ(sample_patches(folder / "s/patches.npy", 1000).count, 30);
}

TEST(PatchSample, MadeUpPatchesAreTexturedAndDiffer) {
  const PatchSample made = made_up_patches(200, 5);  // more than one scene has
  ASSERT_EQ(made.pixels.size(), 200u * 1024);
  EXPECT_EQ(made.pixels, made_up_patches(200, 5).pixels);
  EXPECT_NE(made.pixels, made_up_patches(200, 6).pixels);
  std::set<std::vector<uint8_t>> different;
  double contrast = 0;
  for (int64_t i = 0; i < 200; ++i) {
    const std::span<const uint8_t> patch = std::span(made.pixels).subspan(static_cast<size_t>(i) * 1024, 1024);
    different.emplace(patch.begin(), patch.end());
    contrast += standard_deviation(patch) / 200;
  }
  EXPECT_EQ(different.size(), 200u);
  EXPECT_GT(contrast, 10);
}

TEST(PatchSample, RefusesWhatItCannotSample) {
  const testing::TempFolder folder;
  testing::small_store(folder / "s", 2, 2);
  expect_error([&] { sample_patches(folder / "s", 1); }, "count = 1");
  expect_error([&] { made_up_patches(1'000'001, 0); }, "count = 1000001");
  expect_error([&] { sample_patches(folder / "none.npy", 8); }, "none.npy");
  expect_error([&] { sample_patches(folder.path(), 8); }, folder.path().string());
  expect_error([&] { sample_patches(folder / "s/classes.npy", 8); }, "classes.npy");
  write_file_atomically(folder / "short.npy", "\x93NUMPY");
  expect_error([&] { sample_patches(folder / "short.npy", 8); }, "short.npy");
}

}  // namespace
}  // namespace adasample
