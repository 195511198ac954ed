// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/run_program.h"

#include <gtest/gtest.h>

#include "adasample/base/files/file_io.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

TEST(RunProgram, WhatItSaysAndHowItEnds) {
  const testing::TempFolder folder;
  const auto log = folder.path() / "log";
  const std::string shell = find_program("sh").value().string();
  EXPECT_EQ(run_program({shell, "-c", "echo one; echo two >&2; cat; exit 3"}, log), 3);
  EXPECT_EQ(run_program({shell, "-c", "echo $ADASAMPLE_TRY; kill -9 $$"}, log, {"ADASAMPLE_TRY=three"}), 128 + 9);
  EXPECT_EQ(read_text(log), "one\ntwo\nthree\n") << "appended, and its input is empty";
  testing::expect_error([&] { run_program({(folder.path() / "none").string()}, log); }, "cannot be started");
}

TEST(RunProgram, FoundInThePathOrNowhere) {
  EXPECT_TRUE(find_program("sh"));
  EXPECT_FALSE(find_program("adasample-no-such-program"));
  EXPECT_FALSE(find_program("/etc/passwd")) << "it is no program";
}

TEST(RunProgram, AsAShellWouldHaveIt) {
  EXPECT_EQ(command_line({"/usr/bin/colmap", "mapper", "--image_path", "my photos", "it's", ""}),
            "/usr/bin/colmap mapper --image_path 'my photos' 'it'\\''s' ''");
}

}  // namespace
}  // namespace adasample
