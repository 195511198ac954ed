// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/files/inside_folder.h"

#include <gtest/gtest.h>

#include "adasample/base/files/file_io.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;
using testing::expect_error;

TEST(InsideFolder, NamesThatLeadElsewhereAreRefused) {
  for (const char* name : {"a.jpg", "day/a.jpg", "a..jpg", "..a/b", "./a.jpg", "x/./y"}) {
    EXPECT_TRUE(is_inner_name(name)) << name;
  }
  for (const std::string& name : {std::string(), std::string(".."), std::string("../a.jpg"), std::string("a/../../b"),
                                  std::string("/etc/passwd"), std::string("a\0b", 3), std::string("a/..")}) {
    EXPECT_FALSE(is_inner_name(name)) << name;
    expect_error([&] { path_inside("/tmp", name, "m"); }, "[m]", "not one that leads elsewhere");
  }
}

TEST(InsideFolder, LinksStayInside) {
  const testing::TempFolder folder;
  fs::create_directories(folder / "images/sub");
  write_file_atomically(folder / "secret", "x");
  write_file_atomically(folder / "images/sub/a", "x");
  fs::create_symlink("sub/a", folder / "images/inner");
  fs::create_symlink("../secret", folder / "images/outer");
  fs::create_directory_symlink(folder.path(), folder / "images/up");
  const fs::path images = folder / "images";
  EXPECT_EQ(path_inside(images, "inner", "m"), images / "inner");
  EXPECT_EQ(path_inside(images, "sub/a", "m"), images / "sub/a");
  EXPECT_EQ(path_inside(images, "missing", "m"), images / "missing");
  EXPECT_EQ(path_inside(images.string() + "/", "sub/a", "m"), images / "sub/a");
  for (const char* name : {"outer", "up/secret", "up/images-too"}) {
    expect_error([&] { path_inside(images, name, "m"); }, name, "leads out of");
  }
  fs::create_directory_symlink(images, folder / "linked");  // the folder itself may be one
  EXPECT_EQ(path_inside(folder / "linked", "sub/a", "m"), folder / "linked/sub/a");
}

}  // namespace
}  // namespace adasample
