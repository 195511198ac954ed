// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/files/mapped_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>
#include <utility>

#include "adasample/base/files/file_io.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

using testing::expect_error;
using testing::TempFolder;

std::string text_of(const MappedFile& file) { return {file.bytes().begin(), file.bytes().end()}; }

TEST(MappedFile, ShowsTheBytes) {
  const TempFolder folder;
  write_file_atomically(folder / "f", "some bytes");
  const MappedFile file(folder / "f");
  file.advise_random();
  EXPECT_EQ(text_of(file), "some bytes");
  EXPECT_EQ(file.path(), folder / "f");
}

TEST(MappedFile, AnEmptyFileHasNoBytes) {
  const TempFolder folder;
  write_file_atomically(folder / "f", "");
  const MappedFile file(folder / "f");
  file.advise_random();
  EXPECT_TRUE(file.bytes().empty());
  EXPECT_TRUE(MappedFile().bytes().empty());
}

TEST(MappedFile, Moves) {
  const TempFolder folder;
  write_file_atomically(folder / "a", "a");
  write_file_atomically(folder / "b", "b");
  MappedFile a(folder / "a");
  const MappedFile moved = std::move(a);
  EXPECT_EQ(text_of(moved), "a");
  MappedFile b(folder / "b");
  b = MappedFile(folder / "a");
  EXPECT_EQ(text_of(b), "a");
}

TEST(MappedFile, OutlivesTheName) {
  const TempFolder folder;
  write_file_atomically(folder / "f", "old");
  const MappedFile file(folder / "f");
  write_file_atomically(folder / "f", "new");
  EXPECT_EQ(text_of(file), "old");
}

TEST(MappedFile, RefusesWhatIsNoFile) {
  const TempFolder folder;
  expect_error([&] { MappedFile(folder / "missing"); }, "missing", "cannot be opened", "No such file");
  expect_error([&] { MappedFile(folder.path()); }, folder.path().string(), "is a folder, not a file");
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  expect_error([&] { MappedFile(folder / "pipe"); }, "pipe", "is a pipe, not a file");
}

}  // namespace
}  // namespace adasample
