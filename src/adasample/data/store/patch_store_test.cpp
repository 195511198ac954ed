// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/patch_store.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <vector>

#include "adasample/base/files/file_io.h"
#include "adasample/base/files/npy.h"
#include "adasample/data/store/contact_sheet.h"
#include "tests/support/expect_error.h"
#include "tests/support/small_store.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;
using testing::expect_error;
using testing::TempFolder;

// Two classes of 2 and 3 patches of 4 x 4; patch i is filled with i.
void write_small_store(const fs::path& path) {
  PatchStoreWriter writer(path, 4);
  std::vector<uint8_t> all;
  for (int i = 0; i < 5; ++i) all.insert(all.end(), 16, static_cast<uint8_t>(i));
  writer.add_class(std::span(all).first(32));
  writer.add_class(std::span(all).subspan(32));
  EXPECT_EQ(writer.class_count(), 2);
  writer.finish({{"source", "test"}, {"seed", 7}});
}

size_t entries(const fs::path& folder) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(PatchStore, ReadsWhatWasWritten) {
  const TempFolder folder;
  write_small_store(folder / "store");
  const PatchStore store = PatchStore::open(folder / "store");
  EXPECT_EQ(store.patch_count(), 5);
  EXPECT_EQ(store.class_count(), 2);
  EXPECT_EQ(store.patch_size(), 4);
  EXPECT_EQ(store.class_begin(1), 2);
  EXPECT_EQ(store.class_size(0), 2);
  EXPECT_EQ(store.class_size(1), 3);
  EXPECT_EQ(store.patch(4).size(), 16u);
  EXPECT_EQ(store.patch(4)[15], 4);
  EXPECT_EQ(store.meta()["source"], "test");
  EXPECT_EQ(store.meta()["classes"], 2);
  EXPECT_EQ(store.folder(), folder / "store");
  EXPECT_EQ(store.fingerprint().size(), 64u);
  EXPECT_EQ(entries(folder.path()), 1u);  // nothing beside it
  expect_error([&] { store.patch(5); }, "[bug]");
  expect_error([&] { store.class_size(2); }, "[bug]");
}

TEST(PatchStore, FingerprintFollowsTheContent) {
  const TempFolder folder;
  write_small_store(folder / "a");
  write_small_store(folder / "b");
  PatchStoreWriter writer(folder / "c", 4);
  writer.add_class(std::vector<uint8_t>(32, 1));
  writer.finish(nlohmann::json::object());
  const std::string a = PatchStore::open(folder / "a").fingerprint();
  EXPECT_EQ(a, PatchStore::open(folder / "b").fingerprint());
  EXPECT_NE(a, PatchStore::open(folder / "c").fingerprint());
}

TEST(PatchStore, AnUnfinishedStoreLeavesNothing) {
  const TempFolder folder;
  {
    PatchStoreWriter writer(folder / "store", 4);
    writer.add_class(std::vector<uint8_t>(32));
    expect_error([&] { writer.add_class(std::vector<uint8_t>(16)); }, "[store] class 1 has 1 patches, expected two");
  }
  expect_error([&] { PatchStoreWriter(folder / "empty", 4).finish({}); }, "[store] no class was found");
  EXPECT_EQ(entries(folder.path()), 0u);
}

// A limit on the size of files stands in for a full disk.
TEST(PatchStore, AFullDiskIsOneLineAndLeavesNothing) {
  const TempFolder folder;
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small = {1 << 16, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  expect_error(
      [&] {
        PatchStoreWriter writer(folder / "store", 32);
        for (int i = 0; i < 100; ++i) writer.add_class(std::vector<uint8_t>(2048));
        writer.finish({});
      },
      "[file]", "patches.npy", "cannot be written");
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(entries(folder.path()), 0u);
}

TEST(PatchStore, NothingIsOverwritten) {
  const TempFolder folder;
  write_small_store(folder / "store");
  expect_error([&] { PatchStoreWriter(folder / "store", 4); }, "already exists");
}

TEST(PatchStore, RefusalsNameFileExpectationAndFinding) {
  const TempFolder folder;
  const fs::path store = folder / "store";
  const auto refuses = [&](const auto&... parts) {
    expect_error([&] { PatchStore::open(store); }, parts...);
    remove_tree(store);
    write_small_store(store);
  };
  refuses("store: is no folder");  // and now it is made
  fs::remove(store / "patches.npy");
  refuses("[store]", "no patches.npy");
  fs::remove(store / "meta.json");
  refuses("meta.json: is missing", "write {}");
  write_file_atomically(store / "meta.json", "{\"patches\": ");
  refuses("meta.json: expected JSON");
  write_file_atomically(store / "meta.json", "[1]");
  refuses("expected a JSON object, found array");
  write_file_atomically(store / "meta.json", R"({"patches": 6})");
  refuses("\"patches\" is 6, the arrays hold 5");
  write_file_atomically(store / "meta.json", R"({"classes": "two"})");
  refuses("\"classes\" is string, the arrays hold 2");
  fs::resize_file(store / "patches.npy", 200);
  refuses("patches.npy: 80 bytes of data expected, 72 found", "truncated");
  write_npy(store / "patches.npy", std::vector<float>(80), std::vector<int64_t>{5, 4, 4});
  refuses("patches.npy: dtype '<f4', expected '|u1'");
  write_npy(store / "patches.npy", std::vector<uint8_t>(80), std::vector<int64_t>{5, 2, 8});
  refuses("shape [5, 2, 8], expected [N, S, S]");
  write_npy(store / "classes.npy", std::vector<int64_t>{0, 2, 5, 5}, std::vector<int64_t>{2, 2});
  refuses("classes.npy: shape [2, 2], expected [classes + 1]");
  const auto offsets = [&](const std::vector<int64_t>& values) {
    write_npy(store / "classes.npy", values, std::vector{static_cast<int64_t>(values.size())});
  };
  offsets({});
  refuses("0 offsets, expected at least 2");
  offsets({1, 5});
  refuses("the first offset is 1, expected 0");
  offsets({0, 2, 4});
  refuses("the last offset is 4, but patches.npy holds 5");
  offsets({0, 4, 5});
  refuses("class 1 is [4, 5), expected two patches");
  offsets({0, 9, -9, 5});
  refuses("class 0 is [0, 9)");
}

// The small store, with pictures: class 0 of 0 and 1, class 1 of 0, 1 and 2.
void write_store_with_pictures(const fs::path& path) {
  PatchStoreWriter writer(path, 4);
  writer.add_class(std::vector<uint8_t>(32), std::vector<int64_t>{0, 1});
  writer.add_class(std::vector<uint8_t>(48), std::vector<int64_t>{0, 1, 2});
  writer.finish({{"pictures", {"a/1", "a/2", "b/1"}}, {"picture_scenes", {"a", "a", "b"}}});
}

TEST(PatchStore, PatchesMayKnowTheirPictures) {
  const TempFolder folder;
  write_store_with_pictures(folder / "store");
  const PatchStore store = PatchStore::open(folder / "store");
  ASSERT_TRUE(store.has_pictures());
  EXPECT_EQ(store.picture(0), 0);
  EXPECT_EQ(store.picture(4), 2);
  EXPECT_EQ(store.picture_names().at(1), "a/2");
  EXPECT_EQ(store.picture_scenes().at(2), "b");
  expect_error([&] { store.picture(5); }, "[bug]");

  // The fingerprint is that of patches and classes, as without them.
  PatchStoreWriter writer(folder / "plain", 4);
  writer.add_class(std::vector<uint8_t>(32));
  writer.add_class(std::vector<uint8_t>(48));
  writer.finish({});
  const PatchStore plain = PatchStore::open(folder / "plain");
  EXPECT_FALSE(plain.has_pictures());
  EXPECT_TRUE(plain.picture_names().empty());
  EXPECT_EQ(plain.fingerprint(), store.fingerprint());
  expect_error([&] { plain.picture(0); }, "[bug]");
}

TEST(PatchStore, PicturesBelongToAllClassesOrToNone) {
  const TempFolder folder;
  PatchStoreWriter late(folder / "late", 4), part(folder / "part", 4), unnamed(folder / "unnamed", 4);
  const std::vector<uint8_t> patches(32);
  const std::vector<int64_t> pictures = {0, 1};
  late.add_class(patches);
  expect_error([&] { late.add_class(patches, pictures); }, "[bug]");
  part.add_class(patches, pictures);
  part.add_class(patches);
  expect_error(
      [&] {
        part.finish({{"pictures", {"a", "b"}}, {"picture_scenes", {"s", "s"}}});
      },
      "pictures.npy: 2 numbers, but patches.npy holds 4 patches");
  unnamed.add_class(patches, pictures);
  expect_error(
      [&] {
        unnamed.finish({{"pictures", {"a"}}, {"picture_scenes", {"s"}}});
      },
      "patch 1 is of picture 1, expected one of the 1 of meta.json");
}

TEST(PatchStore, BadPicturesAreRefused) {
  const TempFolder folder;
  const fs::path store = folder / "store";
  write_store_with_pictures(store);
  const auto refuses = [&](const auto&... parts) {
    expect_error([&] { PatchStore::open(store); }, "[store]", parts...);
    remove_tree(store);
    write_store_with_pictures(store);
  };
  const auto numbers = [&](const std::vector<int64_t>& values) {
    write_npy(store / "pictures.npy", values, std::vector{static_cast<int64_t>(values.size())});
  };
  numbers({0, 1, 0, 1});
  refuses("pictures.npy: 4 numbers, but patches.npy holds 5 patches");
  numbers({0, 1, 0, 1, 3});
  refuses("pictures.npy: patch 4 is of picture 3, expected one of the 3 of meta.json");
  numbers({0, 1, 0, -1, 2});
  refuses("patch 3 is of picture -1");
  write_npy(store / "pictures.npy", std::vector<int64_t>(5), std::vector<int64_t>{5, 1});
  refuses("pictures.npy: shape [5, 1], expected [patches]");
  write_file_atomically(store / "meta.json", "{}");
  refuses("expected a list \"pictures\" to go with pictures.npy, found none");
  write_file_atomically(store / "meta.json", R"({"pictures": ["a", "b", 3], "picture_scenes": ["s", "s", "s"]})");
  refuses("expected strings in \"pictures\", found number");
  write_file_atomically(store / "meta.json", R"({"pictures": ["a", "b", "c"], "picture_scenes": 3})");
  refuses("expected a list \"picture_scenes\"", "found number");
  write_file_atomically(store / "meta.json", R"({"pictures": ["a", "b", "c"], "picture_scenes": ["s", "s"]})");
  refuses("expected as many \"picture_scenes\" as \"pictures\", found 2 and 3");
  fs::resize_file(store / "pictures.npy", 140);
  expect_error([&] { PatchStore::open(store); }, "pictures.npy: 40 bytes of data expected, 12 found");
}

// The small store, with strengths.
void write_store_with_strengths(const fs::path& path) {
  PatchStoreWriter writer(path, 4);
  writer.add_class(std::vector<uint8_t>(32), std::vector<float>{0, 0.25f});
  writer.add_class(std::vector<uint8_t>(48), std::vector<float>{0, 0.5f, 1.5f});
  writer.finish({});
}

TEST(PatchStore, PatchesMayKnowTheirStrengths) {
  const TempFolder folder;
  write_store_with_strengths(folder / "store");
  const PatchStore store = PatchStore::open(folder / "store");
  ASSERT_TRUE(store.has_strengths());
  EXPECT_EQ(store.strength(1), 0.25f);
  EXPECT_EQ(store.strength(4), 1.5f);
  expect_error([&] { store.strength(5); }, "[bug]");

  // A store of before, and what it was made of, are what they were.
  PatchStoreWriter writer(folder / "plain", 4);
  writer.add_class(std::vector<uint8_t>(32));
  writer.add_class(std::vector<uint8_t>(48));
  writer.finish({});
  const PatchStore plain = PatchStore::open(folder / "plain");
  EXPECT_FALSE(plain.has_strengths());
  EXPECT_EQ(plain.fingerprint(), store.fingerprint());
  EXPECT_EQ(read_text(folder / "plain/meta.json"), read_text(folder / "store/meta.json"));
  expect_error([&] { plain.strength(0); }, "[bug]");
}

TEST(PatchStore, StrengthsBelongToAllClassesOrToNone) {
  const TempFolder folder;
  PatchStoreWriter late(folder / "late", 4), part(folder / "part", 4), bad(folder / "bad", 4);
  const std::vector<uint8_t> patches(32);
  late.add_class(patches);
  expect_error([&] { late.add_class(patches, std::vector<float>{0, 1}); }, "[bug]");
  part.add_class(patches, std::vector<float>{0, 1});
  part.add_class(patches);
  expect_error([&] { part.finish({}); }, "strengths.npy: 2 numbers, but patches.npy holds 4 patches");
  bad.add_class(patches, std::vector<float>{0, -1});
  expect_error([&] { bad.finish({}); }, "patch 1 has strength -1");
}

TEST(PatchStore, BadStrengthsAreRefused) {
  const TempFolder folder;
  const fs::path store = folder / "store";
  write_store_with_strengths(store);
  const auto refuses = [&](const auto&... parts) {
    expect_error([&] { PatchStore::open(store); }, "[store]", parts...);
  };
  const auto numbers = [&](const std::vector<float>& values) {
    write_npy(store / "strengths.npy", values, std::vector{static_cast<int64_t>(values.size())});
  };
  numbers({0, 1, 0, 1});
  refuses("strengths.npy: 4 numbers, but patches.npy holds 5 patches");
  numbers({0, 1, 0, std::nanf(""), 1});
  refuses("strengths.npy: patch 3 has strength nan, expected a number of 0 or more");
  numbers({0, -0.5f, 0, 0, 1});
  refuses("patch 1 has strength -0.5");
  write_npy(store / "strengths.npy", std::vector<float>(5), std::vector<int64_t>{5, 1});
  refuses("strengths.npy: shape [5, 1], expected [patches]");
  write_npy(store / "strengths.npy", std::vector<int64_t>(5), std::vector<int64_t>{5});
  expect_error([&] { PatchStore::open(store); }, "strengths.npy: dtype '<i8', expected '<f4'");
  numbers({0, 1, 0, 1, 1});
  fs::resize_file(store / "strengths.npy", 140);
  expect_error([&] { PatchStore::open(store); }, "strengths.npy: 20 bytes of data expected, 12 found");
  fs::remove(store / "strengths.npy");
  fs::create_symlink("nowhere", store / "strengths.npy");
  expect_error([&] { PatchStore::open(store); }, "strengths.npy");
}

TEST(PatchStore, MetaMayBeEmpty) {
  const TempFolder folder;
  write_small_store(folder / "store");
  write_file_atomically(folder / "store" / "meta.json", "{}");
  EXPECT_EQ(PatchStore::open(folder / "store").fingerprint(), "");
}

// A sparse gigabyte: opening reads the offsets and no patch.
TEST(PatchStore, AMillionPatchesOpenAtOnce) {
  const TempFolder folder;
  const fs::path store = folder / "store";
  fs::create_directory(store);
  const int64_t patches = 1000000, per_class = 16;
  write_file_atomically(store / "patches.npy",
                        format_npy_header(NpyType::kUint8, std::vector<int64_t>{patches, 32, 32}));
  fs::resize_file(store / "patches.npy", kNpyHeaderSize + static_cast<size_t>(patches) * 1024);
  std::vector<int64_t> offsets;
  for (int64_t offset = 0; offset <= patches; offset += per_class) offsets.push_back(offset);
  write_npy(store / "classes.npy", offsets, std::vector{static_cast<int64_t>(offsets.size())});
  write_file_atomically(store / "meta.json", "{}");

  const auto start = std::chrono::steady_clock::now();
  const PatchStore opened = PatchStore::open(store);
  const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
  std::printf("opened %ld patches in %.2f ms\n", static_cast<long>(opened.patch_count()), elapsed.count());
  EXPECT_EQ(opened.class_count(), patches / per_class);
  EXPECT_EQ(opened.patch(patches - 1)[1023], 0);
}

// 32 classes of 16 patches of a KiB, so that a cut leaves whole pages out.
TEST(PatchStore, ATruncatedFileIsAnErrorWhileItIsUsed) {
  const TempFolder folder;
  const std::string expected =
      "[npy] " + (folder / "store/patches.npy").string() + ": was truncated or became unreadable while in use";
  for (const size_t size : {size_t{1} << 18, size_t{1000}, size_t{512 * 1024 + kNpyHeaderSize - 1}}) {
    const PatchStore store = testing::small_store(folder / "store", 32, 16);
    store.check_intact();
    const std::span<const uint8_t> last = store.patch(511);
    fs::resize_file(folder / "store/patches.npy", size);
    EXPECT_EQ(last.back(), 0);  // no signal
    expect_error([&] { store.check_intact(); }, expected, " - copy it again or make it anew");
    expect_error([&] { contact_sheet(store, {}); }, expected);
    if (size < size_t{1} << 19) expect_error([&] { store.patch(0); }, expected);
    remove_tree(folder / "store");
  }
}

TEST(PatchStore, ClassesKeepTheirBoundsWhateverHappensToTheirFile) {
  const TempFolder folder;
  write_small_store(folder / "store");
  const PatchStore store = PatchStore::open(folder / "store");
  fs::resize_file(folder / "store/classes.npy", 0);
  EXPECT_EQ(store.class_begin(1), 2);
  EXPECT_EQ(store.class_size(1), 3);
  store.check_intact();
}

}  // namespace
}  // namespace adasample
