// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/files/file_io.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <thread>
#include <vector>

#include "tests/support/child.h"
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

TEST(StagedFile, AppearsOnlyByCommit) {
  const TempFolder folder;
  {
    StagedFile file(folder / "f");
    file.writer().write("never seen");
    EXPECT_EQ(entries(folder.path()), 1);
  }
  EXPECT_EQ(entries(folder.path()), 0);
  StagedFile file(folder / "f");
  file.writer().write("one");
  EXPECT_FALSE(fs::exists(folder / "f"));
  file.commit();
  EXPECT_EQ(read_text(folder / "f"), "one");
  EXPECT_EQ(entries(folder.path()), 1);
}

TEST(StagedFile, BeginsAnewWhereAKilledProcessLeftOff) {
  const TempFolder folder;
  {
    testing::Child killed([&] {
      auto* file = new StagedFile(folder / "f");
      file->writer().write("longer than what comes");
      file->writer().flush();
    });
    ASSERT_TRUE(killed.started());
    expect_error([&] { write_file_atomically(folder / "f", "mine"); }, "/f: another process is writing it");
    killed.end(SIGKILL);
  }
  EXPECT_EQ(entries(folder.path()), 1);
  write_file_atomically(folder / "f", "mine");
  EXPECT_EQ(read_text(folder / "f"), "mine");
  EXPECT_EQ(entries(folder.path()), 1);
}

// Nothing that somebody put there beforehand is written to, opened or removed.
TEST(StagedFile, WhatIsPlantedBesideIsLeftAlone) {
  const TempFolder folder;
  write_file_atomically(folder / "precious", "theirs");
  for (const char* name : {".f.writing", ".f.writing-aaaaaaaa"}) fs::create_symlink("precious", folder / name);
  ASSERT_EQ(::mkfifo((folder / ".f.writing-pipe").c_str(), 0666), 0);
  fs::create_directory(folder / ".f.writing-folder");
  write_file_atomically(folder / "f", "mine");
  EXPECT_EQ(read_text(folder / "precious"), "theirs");
  EXPECT_EQ(read_text(folder / "f"), "mine");
  EXPECT_EQ(entries(folder.path()), 6);
}

// Whoever comes while another commits gets through or is told; what appears is always one writer's whole content.
TEST(StagedFile, WritersNeverMix) {
  const TempFolder folder;
  const std::vector<std::string> contents = {std::string(70'000, 'a'), std::string(80'000, 'b'), std::string(3, 'c')};
  write_file_atomically(folder / "f", contents[0]);
  std::atomic<int> writing = static_cast<int>(contents.size());
  std::vector<std::thread> writers;
  writers.reserve(contents.size());
  for (const std::string& content : contents) {
    writers.emplace_back([&] {
      for (int i = 0; i < 300; ++i) {
        try {
          write_file_atomically(folder / "f", content);
        } catch (const Error& error) {
          EXPECT_NE(std::string(error.what()).find("another process is writing it"), std::string::npos) << error.what();
        }
      }
      --writing;
    });
  }
  while (writing > 0) {
    const std::string seen = read_text(folder / "f");
    EXPECT_NE(std::find(contents.begin(), contents.end(), seen), contents.end()) << seen.size();
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(entries(folder.path()), 1);
}

// Before the work, not after it.
TEST(StagedFile, ANameThatIsTooLongIsRefusedAtOnce) {
  const TempFolder folder;
  const std::string most(255, 'n');
  EXPECT_NO_THROW(StagedFile(folder / most).commit());
  EXPECT_NO_THROW(StagedFolder(folder / (most.substr(1) + "m")).commit());
  testing::expect_error([&] { StagedFile(folder / (most + "n")); }, "the name has 256 bytes, expected 255 at most");
  testing::expect_error([&] { StagedFolder(folder / (most + "n")); }, "the name has 256 bytes");
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

// What two killed processes left, and what a live one is filling.
TEST(StagedFolder, RemovesOrphansAndNothingElse) {
  const TempFolder folder;
  const StagedFolder alive(folder / "out");
  write_file_atomically(alive.work() / "a", "1");
  fs::create_directories(folder / ".out.writing-999999998/deep");
  fs::create_directory(folder / ".out.writing-999999999");
  fs::create_directory(folder / ".other.writing-999999999");
  const StagedFolder staged(folder / "out");
  EXPECT_NE(staged.work(), alive.work());
  EXPECT_EQ(read_text(alive.work() / "a"), "1");
  EXPECT_TRUE(fs::exists(folder / ".other.writing-999999999"));
  EXPECT_EQ(entries(folder.path()), 3);
}

TEST(StagedFolder, MakesTheFoldersAboveAndTakesFoldersInIt) {
  const TempFolder folder;
  StagedFolder staged(folder / "a/b/out");
  fs::create_directories(staged.work() / "sub/deep");
  std::ofstream(staged.work() / "sub/deep/f") << "by other means";
  fs::create_symlink("/nonexistent", staged.work() / "link");
  staged.commit();
  EXPECT_EQ(read_text(folder / "a/b/out/sub/deep/f"), "by other means");
  write_file_atomically(folder / "file", "x");
  expect_error([&] { StagedFolder(folder / "file/out"); }, "cannot be created", "Not a directory");
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
