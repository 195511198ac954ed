// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/patch_array.h"

#include <gtest/gtest.h>

#include <vector>

#include "adasample/base/files/file_io.h"
#include "adasample/base/files/npy.h"
#include "adasample/data/patch_store.h"
#include "tests/support/expect_error.h"
#include "tests/support/small_store.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;
using testing::expect_error;

class Patches : public ::testing::Test {
 protected:
  template <typename T>
  fs::path write(const std::vector<T>& values, const std::vector<int64_t>& shape) {
    write_npy(folder_ / "p.npy", std::span<const T>(values), shape);
    return folder_ / "p.npy";
  }
  testing::TempFolder folder_;
};

TEST_F(Patches, AreTheRowsOfTheArray) {
  std::vector<uint8_t> pixels(48);
  for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<uint8_t>(i);
  const PatchArray patches = open_patches(write(pixels, {3, 4, 4}));
  EXPECT_EQ(patches.count(), 3);
  EXPECT_EQ(patches.size(), 4);
  ASSERT_EQ(patches.patch(2).size(), 16u);
  EXPECT_EQ(patches.patch(2).front(), 32);
  EXPECT_EQ(patches.patch(2).back(), 47);
  expect_error([&] { patches.patch(3); }, "[bug]");
  expect_error([&] { patches.patch(-1); }, "[bug]");
}

TEST_F(Patches, OtherArraysAreRefusedInOneLine) {
  const auto refuses = [&](const fs::path& path, const auto&... parts) {
    expect_error([&] { open_patches(path); }, path.filename().string(), parts...);
  };
  refuses(write<float>(std::vector<float>(32), {2, 4, 4}), "dtype '<f4', expected '|u1'");
  refuses(write<uint8_t>(std::vector<uint8_t>(32), {2, 16}), "shape [2, 16], expected [N, S, S]");
  refuses(write<uint8_t>(std::vector<uint8_t>(32), {2, 1, 4, 4}), "shape [2, 1, 4, 4], expected [N, S, S]");
  refuses(write<uint8_t>(std::vector<uint8_t>(32), {2, 8, 2}), "shape [2, 8, 2], expected [N, S, S]");
  refuses(write<uint8_t>(std::vector<uint8_t>(0), {3, 0, 0}), "shape [3, 0, 0]", "S from 1 to 4096");
  refuses(write<uint8_t>(std::vector<uint8_t>(size_t{4097} * 4097), {1, 4097, 4097}), "S from 1 to 4096");
  refuses(write<uint8_t>(std::vector<uint8_t>(0), {0, 4, 4}), "shape [0, 4, 4], expected at least one patch");
  const fs::path cut = write<uint8_t>(std::vector<uint8_t>(32), {2, 4, 4});
  fs::resize_file(cut, fs::file_size(cut) - 1);
  refuses(cut, "32 bytes of data expected, 31 found - truncated?");
  fs::resize_file(cut, 0);
  refuses(cut, "does not start like a .npy file");
  write_file_atomically(folder_ / "p.txt", "1 2 3\n");
  refuses(folder_ / "p.txt", "does not start like a .npy file");
  refuses(folder_ / "missing.npy", "No such file");
  refuses(folder_ / std::string(300, 'x'), "File name too long");
}

TEST_F(Patches, OfAStoreNeedTheWholeStore) {
  const PatchStore store = testing::small_store(folder_ / "s", 3, 2, 8);
  const PatchArray patches = open_patches(folder_ / "s");
  ASSERT_EQ(patches.count(), 6);
  for (int64_t i = 0; i < 6; ++i) {
    EXPECT_TRUE(std::equal(store.patch(i).begin(), store.patch(i).end(), patches.patch(i).begin())) << i;
  }
  fs::remove(folder_ / "s/classes.npy");
  expect_error([&] { open_patches(folder_ / "s"); }, "[store]", "no classes.npy in it");
  expect_error([&] { open_patches(folder_.path()); }, "[store]", "no patches.npy in it");
}

TEST_F(Patches, ATruncatedFileIsAnErrorWhileItIsUsed) {
  const fs::path file = write<uint8_t>(std::vector<uint8_t>(1 << 16, 7), {64, 32, 32});
  const PatchArray patches = open_patches(file);
  patches.check_intact();
  fs::resize_file(file, 4096);
  EXPECT_EQ(patches.patch(63).back(), 0);  // no signal
  expect_error([&] { patches.check_intact(); }, "[npy]", "p.npy: was truncated or became unreadable while in use");
  expect_error([&] { patches.patch(0); }, "[npy]", "p.npy: was truncated");
}

}  // namespace
}  // namespace adasample
