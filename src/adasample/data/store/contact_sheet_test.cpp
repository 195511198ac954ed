// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/store/contact_sheet.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

// Class c has c + 2 patches of 4 x 4; patch v of class c is filled with 10 c + v.
PatchStore make_store(const std::filesystem::path& path, int classes) {
  PatchStoreWriter writer(path, 4);
  for (int c = 0; c < classes; ++c) {
    std::vector<uint8_t> patches;
    for (int v = 0; v < c + 2; ++v) patches.insert(patches.end(), 16, static_cast<uint8_t>(10 * c + v));
    writer.add_class(patches);
  }
  writer.finish(nlohmann::json::object());
  return PatchStore::open(path);
}

TEST(ContactSheet, RowsAreClassesAndColumnsViews) {
  const testing::TempFolder folder;
  const PatchStore store = make_store(folder / "store", 3);
  const GrayImage sheet = contact_sheet(store, {.classes = 9, .random = false, .gap = 1});
  EXPECT_EQ(sheet.width, 4 * 5 + 1);
  EXPECT_EQ(sheet.height, 3 * 5 + 1);
  EXPECT_EQ(sheet.at(0, 0), 255);
  EXPECT_EQ(sheet.at(1, 1), 0);
  EXPECT_EQ(sheet.at(6, 6), 11);
  EXPECT_EQ(sheet.at(19, 14), 23);
  EXPECT_EQ(sheet.at(19, 1), 255);  // class 0 has no fourth patch
}

TEST(ContactSheet, LargeClassesShowFirstToLast) {
  const testing::TempFolder folder;
  const PatchStore store = make_store(folder / "store", 4);
  const GrayImage sheet = contact_sheet(store, {.patches_per_class = 2, .random = false, .gap = 0});
  EXPECT_EQ(sheet.at(0, 12), 30);
  EXPECT_EQ(sheet.at(4, 12), 34);
}

TEST(ContactSheet, RandomClassesAreDistinctAndSeeded) {
  const testing::TempFolder folder;
  const PatchStore store = make_store(folder / "store", 20);
  const auto first_column = [&](uint64_t seed) {
    const GrayImage sheet = contact_sheet(store, {.classes = 8, .seed = seed, .gap = 0});
    std::vector<float> column;
    for (int r = 0; r < 8; ++r) column.push_back(sheet.at(0, 4 * r));
    return column;
  };
  const std::vector<float> column = first_column(1);
  EXPECT_EQ(std::set<float>(column.begin(), column.end()).size(), 8u);
  EXPECT_EQ(column, first_column(1));
  EXPECT_NE(column, first_column(2));
  testing::expect_error([&] { contact_sheet(store, {.classes = 0}); }, "ContactSheetOptions::classes = 0");
}

}  // namespace
}  // namespace adasample
