// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/doctor/doctor.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "adasample/data/patch_store.h"
#include "tests/support/small_store.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

using testing::TempFolder;

TEST(CheckStore, AGoodStoreHasNoProblems) {
  const TempFolder folder;
  const PatchStore store = testing::small_store(folder / "s", 10, 3);
  ASSERT_TRUE(looks_like_store(folder / "s"));
  EXPECT_FALSE(looks_like_store(folder.path()));
  const Diagnosis diagnosis = check_store(folder / "s");
  EXPECT_TRUE(diagnosis.problems.empty());
  EXPECT_TRUE(diagnosis.remarks.empty());
  EXPECT_EQ(diagnosis.inventory[0].second, 30);
  EXPECT_EQ(store_fingerprint(folder / "s"), store.fingerprint());
}

TEST(CheckStore, CountsPicturesWhereTheyAreKnown) {
  const TempFolder folder;
  PatchStoreWriter writer(folder / "s", 2);
  writer.add_class(std::vector<uint8_t>{0, 90, 0, 90, 90, 0, 90, 0}, std::vector<int64_t>{0, 2});
  writer.finish({{"pictures", {"1", "2", "3"}}, {"picture_scenes", {"s", "s", "s"}}});
  const Diagnosis diagnosis = check_store(folder / "s");
  EXPECT_EQ(diagnosis.inventory.back(), (std::pair<std::string, int64_t>("pictures", 3)));
}

TEST(CheckStore, NoticesAChangedByte) {
  const TempFolder folder;
  testing::small_store(folder / "s", 4, 2);
  {
    std::fstream file(folder / "s" / "patches.npy", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(500);
    file.put('\x7f');
  }
  const Diagnosis diagnosis = check_store(folder / "s");
  ASSERT_EQ(diagnosis.problems.size(), 1u);
  EXPECT_NE(diagnosis.problems[0].what.find("meta.json says"), std::string::npos);
}

TEST(CheckStore, FindsTwinsAndFlatPatches) {
  const TempFolder folder;
  PatchStoreWriter writer(folder / "s", 4);
  std::vector<uint8_t> a(32), b(32), flat(32, 9);
  for (size_t i = 0; i < 32; ++i) {
    a[i] = static_cast<uint8_t>(7 * i);
    b[i] = static_cast<uint8_t>(5 * i * i);
  }
  std::copy(a.begin(), a.begin() + 16, b.begin());  // b's first patch is a's
  std::copy(flat.begin(), flat.begin() + 16, a.begin() + 16);
  writer.add_class(a);
  writer.add_class(b);
  writer.finish({});
  const Diagnosis diagnosis = check_store(folder / "s");
  ASSERT_EQ(diagnosis.problems.size(), 2u);
  EXPECT_NE(diagnosis.problems[0].what.find("1 patches are flat, the first is 1"), std::string::npos);
  EXPECT_NE(diagnosis.problems[1].what.find("patch 0 of class 0 and patch 2 of class 1"), std::string::npos);
}

}  // namespace
}  // namespace adasample
