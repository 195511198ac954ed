// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/store/patch_stores.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"
#include "tests/support/small_store.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

using testing::expect_error;
using testing::small_store;
using testing::TempFolder;

std::string make_in(const TempFolder& folder, const std::string& name, int64_t classes, int size = 32) {
  return small_store(folder / name, classes, 2, size).folder().string();
}

TEST(PatchStores, KeepTheirOrderAndTheirPlace) {
  const TempFolder folder;
  const std::vector<std::string> names = {make_in(folder, "b", 3), make_in(folder, "a", 5), make_in(folder, "c", 4)};
  PatchStores opened(names);
  const std::vector<const PatchStore*> before = opened.pointers();
  ASSERT_EQ(before.size(), 3u);
  for (size_t i = 0; i < names.size(); ++i) EXPECT_EQ(before[i]->folder().string(), names[i]);
  const PatchStores moved = std::move(opened);
  EXPECT_EQ(moved.pointers(), before);
  EXPECT_EQ(before[1]->class_count(), 5);
  EXPECT_TRUE(PatchStores({}).pointers().empty());
}

TEST(PatchStores, TheOneThatIsNoneIsNamed) {
  const TempFolder folder;
  const std::string missing = (folder / "missing").string();
  expect_error([&] { PatchStores({make_in(folder, "a", 3), missing}); }, missing, "is no folder");
}

TEST(ValidationStore, IsHeldOutFromAllData) {
  const TempFolder folder;
  const PatchStores data({make_in(folder, "a", 3), make_in(folder, "b", 4)});
  EXPECT_EQ(open_validation_store(make_in(folder, "other", 5), data).class_count(), 5);
  const std::string same = make_in(folder, "same", 4);  // as many classes as b: the same bytes
  expect_error([&] { open_validation_store(same, data); }, (folder / "b").string() + " and " + same, "same scenes");
}

TEST(ValidationStore, NeedsNegativesAndPatchesOfTheNetworksSize) {
  const TempFolder folder;
  const PatchStores data({make_in(folder, "a", 3)});
  expect_error([&] { open_validation_store(make_in(folder, "one", 1), data); }, "one class only");
  expect_error([&] { open_validation_store(make_in(folder, "odd", 5, 48), data); }, "patches are 48x48");
  EXPECT_EQ(open_validation_store(make_in(folder, "double", 5, 64), data).patch_size(), 64);
}

}  // namespace
}  // namespace adasample
