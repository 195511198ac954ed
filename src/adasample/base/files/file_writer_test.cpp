// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/files/file_writer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

#include "adasample/base/files/file_io.h"
#include "tests/support/child.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

using testing::expect_error;
using testing::TempFolder;

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
  EXPECT_EQ(more.size(), 12u);
  more.write("\n");
  more.write_at(0, "H");
  more.write("end");
  EXPECT_EQ(more.size(), 16u);
  more.close();
  EXPECT_EQ(read_text(folder / "f"), "Hello World!\nend");
  expect_error(
      [&] {
        FileWriter writer(folder / "g");
        writer.write_at(1, "x");
      },
      "[bug]");
}

FileHandle open_device(const char* name) { return FileHandle(::open(name, O_WRONLY | O_CLOEXEC)); }

TEST(FileWriter, AFullDiskIsAnError) {
  expect_error(
      [] {
        FileWriter writer(open_device("/dev/full"), "/dev/full");
        writer.write("buffered");
        writer.close();
      },
      "/dev/full", "cannot be written", "the disk is full");
  expect_error(
      [] {
        FileWriter writer(open_device("/dev/full"), "/dev/full");
        writer.write(std::string(1 << 20, 'x'));  // more than the buffer
      },
      "/dev/full", "the disk is full");
}

TEST(FileWriter, NamesWhatCannotBeCreated) {
  expect_error([] { FileWriter("/nonexistent/f"); }, "/nonexistent/f", "cannot be created", "No such file");
}

// Pieces around the buffer's 65,536 bytes, in an order that meets it empty, partly full and exactly full.
TEST(FileWriter, KeepsTheOrderOfPiecesOfEverySize) {
  const TempFolder folder;
  FileWriter writer(folder / "f");
  std::string expected;
  char letter = 'a';
  for (const size_t size : {1u, 65535u, 65536u, 3u, 65537u, 0u, 200000u, 7u}) {
    const std::string piece(size, letter++);
    expected += piece;
    writer.write(piece);
    EXPECT_EQ(writer.size(), expected.size());
  }
  writer.close();
  EXPECT_TRUE(read_text(folder / "f") == expected);
}

TEST(FileWriter, SyncPutsEverythingThereAndGoesOn) {
  const TempFolder folder;
  FileWriter writer(folder / "f");
  writer.write("one");
  EXPECT_EQ(read_text(folder / "f"), "");
  writer.sync();
  EXPECT_EQ(read_text(folder / "f"), "one");
  writer.write("two");
  writer.close();
  EXPECT_EQ(read_text(folder / "f"), "onetwo");
  expect_error([&] { writer.write("x"); }, "was closed");
  expect_error([&] { writer.sync(); }, "was closed");
}

TEST(FileWriter, WritesWhatItHoldsWhenItIsDestroyed) {
  const TempFolder folder;
  { FileWriter(folder / "f").write("held"); }
  EXPECT_EQ(read_text(folder / "f"), "held");
}

TEST(FileWriter, AFailureEndsIt) {
  FileWriter writer(open_device("/dev/full"), "/dev/full");
  writer.write("x");
  expect_error([&] { writer.sync(); }, "the disk is full");
  expect_error([&] { writer.sync(); }, "an earlier write failed");  // and not success
  expect_error([] { FileWriter(open_device("/dev/null"), "/dev/null").close(); }, "fsync failed");
}

// In a process of its own, whose SIGXFSZ nobody has touched.
TEST(FileWriter, ALimitOnFilesIsAnErrorAndNotTheEnd) {
  const TempFolder folder;
  const auto write_too_much = [&] {
    std::signal(SIGXFSZ, SIG_DFL);
    const rlimit small = {10000, 10000};
    ::setrlimit(RLIMIT_FSIZE, &small);
    try {
      FileWriter writer(folder / "f");
      writer.write(std::string(100000, 'x'));  // the first 10,000 bytes go through
    } catch (const Error& error) {
      return std::string(error.what()).ends_with("cannot be written: File too large") ? 0 : 2;
    }
    return 3;
  };
  EXPECT_EQ(testing::status_of_child(write_too_much), 0);
  EXPECT_EQ(read_text(folder / "f").size(), 10000u);
}

}  // namespace
}  // namespace adasample
