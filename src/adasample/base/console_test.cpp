// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/console.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>

#include "adasample/base/files/file_io.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

TEST(QuietStderr, SilencesOthersAndLetsOursThrough) {
  const testing::TempFolder folder;
  const int saved = ::dup(STDERR_FILENO);
  const int file = ::open((folder / "stderr").c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_GE(file, 0);
  std::fflush(stderr);
  ::dup2(file, STDERR_FILENO);
  {
    const QuietStderr quiet;
    std::fputs("libpng warning\n", stderr);
    std::fflush(stderr);
    write_console("ours\n");
  }
  std::fputs("after\n", stderr);
  std::fflush(stderr);
  ::dup2(saved, STDERR_FILENO);
  ::close(saved);
  ::close(file);
  EXPECT_EQ(read_text(folder / "stderr"), "ours\nafter\n");
  EXPECT_EQ(console(), STDERR_FILENO);
}

}  // namespace
}  // namespace adasample
