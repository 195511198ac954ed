// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/file_io.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;
using testing::expect_error;
using testing::TempFolder;

int64_t entries(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

TEST(FileWriter, WritesAppendsAndPatches) {
  const TempFolder folder;
  {
    FileWriter writer(folder / "f");
    writer.write("hello world");
    writer.write_at(6, "W");
    writer.write("!");
    EXPECT_EQ(writer.size(), 12u);
    writer.close();
  }
  EXPECT_EQ(read_text(folder / "f"), "hello World!");
  FileWriter more(folder / "f", /*append=*/true);
  more.write("\n");
  more.close();
  EXPECT_EQ(read_text(folder / "f"), "hello World!\n");
  expect_error(
      [&] {
        FileWriter writer(folder / "g");
        writer.write_at(1, "x");
      },
      "[bug]");
}

TEST(FileWriter, AFullDiskIsAnError) {
  expect_error(
      [] {
        FileWriter writer("/dev/full");
        writer.write("buffered");
        writer.close();
      },
      "/dev/full", "cannot be written", "No space left on device");
  expect_error(
      [] {
        FileWriter writer("/dev/full");
        writer.write(std::string(1 << 20, 'x'));  // more than the buffer
      },
      "/dev/full", "No space left on device");
}

TEST(FileWriter, NamesWhatCannotBeCreated) {
  expect_error([] { FileWriter("/nonexistent/f"); }, "/nonexistent/f", "cannot be created", "No such file");
}

TEST(ReadText, NamesWhatCannotBeRead) {
  const TempFolder folder;
  expect_error([&] { read_text(folder / "missing"); }, "missing", "No such file");
  expect_error([&] { read_text(folder.path()); }, folder.path().string(), "is a folder");
  expect_error([&] { read_text(folder / std::string(300, 'x')); }, "File name too long");
}

TEST(WriteAtomically, ReplacesAndLeavesNothingBeside) {
  const TempFolder folder;
  write_file_atomically(folder / "f", "one");
  write_file_atomically(folder / "f", std::string("t\0o", 3));
  EXPECT_EQ(read_text(folder / "f"), std::string("t\0o", 3));
  EXPECT_EQ(entries(folder.path()), 1);
}

TEST(WriteAtomically, AFailureLeavesTheOldFileAndNothingBeside) {
  const TempFolder folder;
  fs::create_directory(folder / "taken");
  expect_error([&] { write_file_atomically(folder / "taken", "x"); }, "taken", "cannot be renamed");
  EXPECT_EQ(entries(folder.path()), 1);
  expect_error([&] { write_file_atomically(folder / "no" / "f", "x"); }, "cannot be created");
}

TEST(RefuseExisting, AlsoSeesBrokenLinks) {
  const TempFolder folder;
  refuse_existing(folder / "new");
  fs::create_symlink("/nonexistent", folder / "link");
  expect_error([&] { refuse_existing(folder / "link"); }, "link", "already exists");
}

TEST(StagedFolder, AppearsOnlyByCommit) {
  const TempFolder folder;
  StagedFolder staged((folder / "out").string() + "/");
  write_file_atomically(staged.work() / "a", "1");
  EXPECT_FALSE(fs::exists(folder / "out"));
  staged.commit();
  EXPECT_EQ(read_text(folder / "out" / "a"), "1");
  EXPECT_EQ(entries(folder.path()), 1);
}

TEST(StagedFolder, IsRemovedWithoutCommit) {
  const TempFolder folder;
  {
    const StagedFolder staged(folder / "out");
    write_file_atomically(staged.work() / "a", "1");
    EXPECT_EQ(entries(folder.path()), 1);
  }
  EXPECT_EQ(entries(folder.path()), 0);
}

TEST(StagedFolder, RefusesExisting) {
  const TempFolder folder;
  fs::create_directory(folder / "out");
  expect_error([&] { StagedFolder(folder / "out"); }, "out", "already exists");

  StagedFolder late(folder / "late");
  fs::create_directory(folder / "late");  // somebody else was quicker
  expect_error([&] { late.commit(); }, "late", "already exists");
}

TEST(StagedFolder, StartsEmpty) {
  const TempFolder folder;
  const fs::path left = folder / (".out.writing-" + std::to_string(::getpid()));
  fs::create_directory(left);
  write_file_atomically(left / "stale", "of a killed run");
  const StagedFolder staged(folder / "out");
  EXPECT_EQ(staged.work(), left);
  EXPECT_EQ(entries(staged.work()), 0);
}

TEST(RemoveTree, TakesFoldersFilesAndLinksButNotWhatLinksPointTo) {
  testing::TempFolder folder;
  std::filesystem::create_directories(folder / "keep");
  std::filesystem::create_directories(folder / "gone/deep/deeper");
  write_file_atomically(folder / "keep/file", "x");
  write_file_atomically(folder / "gone/deep/file", "x");
  std::filesystem::create_directory_symlink(folder / "keep", folder / "gone/link");
  remove_tree(folder / "gone");
  EXPECT_FALSE(std::filesystem::exists(folder / "gone"));
  EXPECT_TRUE(std::filesystem::exists(folder / "keep/file"));
  remove_tree(folder / "never-was");
}

}  // namespace
}  // namespace adasample
