// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/files/open_file.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "adasample/base/files/file_io.h"
#include "adasample/base/files/mapped_file.h"
#include "adasample/base/text.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;
using testing::expect_error;
using testing::TempFolder;

void make_socket(const fs::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  const FileHandle handle(::socket(AF_UNIX, SOCK_STREAM, 0));
  ASSERT_EQ(::bind(handle.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
}

// Each of these would wait, or never end, where it is opened as a file is.
TEST(OpenFile, WhatIsNoFileIsRefusedAtOnce) {
  const TempFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0666), 0);
  make_socket(folder / "socket");
  fs::create_directory(folder / "sub");
  fs::create_symlink("/dev/zero", folder / "zero");
  fs::create_symlink(folder / "pipe", folder / "link-to-pipe");
  for (const auto& [name, what] : {std::pair("pipe", "is a pipe"),
                                   {"socket", "is a socket"},
                                   {"sub", "is a folder"},
                                   {"zero", "is a device"},
                                   {"link-to-pipe", "is a pipe"}}) {
    expect_error([&, name = name] { read_text(folder / name); }, name, what);
    expect_error([&, name = name] { MappedFile(folder / name); }, name, what);
  }
  expect_error([&] { FileWriter(folder / "pipe"); }, "pipe or a socket");
  expect_error([&] { FileWriter(folder / "sub"); }, "is a folder");
  expect_error([&] { FileWriter(folder / "pipe", /*append=*/true); }, "pipe or a socket");
  expect_error([&] { read_text(folder / "missing"); }, "missing", "No such file");
}

// A file of another person, named by a link that was put where ours is written.
TEST(OpenFile, NothingIsWrittenThroughALink) {
  const TempFolder folder;
  write_file_atomically(folder / "precious", "theirs");
  fs::create_symlink(folder / "precious", folder / "out");
  for (const bool append : {false, true}) {
    expect_error([&] { FileWriter(folder / "out", append); }, "is a link");
  }
  write_file_atomically(folder / "out", "ours");
  EXPECT_EQ(read_text(folder / "precious"), "theirs");
  EXPECT_EQ(read_text(folder / "out"), "ours");
  EXPECT_FALSE(fs::is_symlink(folder / "out"));
}

TEST(OpenFile, LinksAreReadThrough) {
  const TempFolder folder;
  write_file_atomically(folder / "file", "x");
  fs::create_symlink("file", folder / "link");
  EXPECT_EQ(read_text(folder / "link"), "x");
  fs::create_symlink("loop", folder / "loop");
  expect_error([&] { read_text(folder / "loop"); }, "loop", "symbolic links");
}

TEST(OpenFile, HiddenNamesCannotBeForeseen) {
  const TempFolder folder;
  fs::path first, second;
  create_hidden(folder.path(), ".f.writing-", first);
  create_hidden(folder.path(), ".f.writing-", second);
  EXPECT_NE(first, second);
  EXPECT_EQ(first.filename().string().size(), std::string(".f.writing-").size() + 8);
  EXPECT_TRUE(fs::is_regular_file(first));
  EXPECT_TRUE(is_hidden_name(first.filename().string(), ".f.writing-"));
  for (const char* other :
       {".f.writing-", ".f.writing-abcdefg", ".f.writing-abcdefghi", ".f.writing-my-notes", ".g.writing-abcdefgh"}) {
    EXPECT_FALSE(is_hidden_name(other, ".f.writing-")) << other;
  }
}

TEST(OpenFile, LongNamesCanBeWritten) {
  const TempFolder folder;
  std::string wide = "x";
  while (wide.size() + 3 <= 255) wide += "\xe2\x82\xac";  // euro signs: a cut must not fall within one
  wide.resize(255, 'y');
  for (const std::string& name : {std::string(255, 'n'), std::string(214, 'n'), std::string(216, 'n'), wide}) {
    write_file_atomically(folder / name, "1");
    EXPECT_EQ(read_text(folder / name), "1");
    StagedFolder staged(folder / (name.substr(0, 254) + "F"));
    staged.commit();
    EXPECT_LE(hidden_prefix(name).size(), 255u - 20u);
  }
  std::string other(255, 'n');
  other.back() = 'm';
  EXPECT_NE(hidden_prefix(std::string(255, 'n')), hidden_prefix(other));
  EXPECT_EQ(hidden_prefix("a/b.txt"), ".b.txt.writing-");
  EXPECT_EQ(printable(hidden_prefix(wide), false), hidden_prefix(wide)) << "cut within a letter";
}

TEST(ReadText, RefusesWhatIsTooLargeBeforeReading) {
  const TempFolder folder;
  write_file_atomically(folder / "file", "12345678");
  EXPECT_EQ(read_text(folder / "file", 8), "12345678");
  expect_error([&] { read_text(folder / "file", 7); }, "file", "has more than 0 MiB");
  ASSERT_EQ(::truncate((folder / "file").c_str(), off_t{1} << 40), 0);  // takes no room on the disk
  expect_error([&] { read_text(folder / "file"); }, "file", "has more than 1024 MiB");
}

}  // namespace
}  // namespace adasample
