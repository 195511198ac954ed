// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/files/folder_lock.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <optional>
#include <utility>

#include "adasample/base/files/file_io.h"
#include "tests/support/child.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;
using testing::Child;
using testing::expect_error;
using testing::status_of_child;
using testing::TempFolder;

TEST(FolderLock, IsFreeAgainWhenDestroyedAndMoves) {
  const TempFolder folder;
  {
    FolderLock first(folder.path());
    const FolderLock moved(std::move(first));
    expect_error([&] { FolderLock(folder.path()); }, "[run] " + folder.path().string() + ": is in use by process ",
                 std::to_string(::getpid()) + " on host ", " - wait for it or stop it");
  }
  FolderLock again(folder.path());
  const TempFolder other;
  again = FolderLock(other.path());
  const FolderLock free_again(folder.path());
  EXPECT_TRUE(fs::exists(folder / ".lock"));
}

TEST(FolderLock, EndsWithItsProcessHoweverThatEnds) {
  const TempFolder folder;
  for (const int signal : {SIGTERM, SIGKILL}) {
    std::optional<FolderLock> held;
    Child child([&] { held.emplace(folder.path()); });
    ASSERT_TRUE(child.started());
    expect_error([&] { FolderLock(folder.path()); }, "is in use by process " + std::to_string(child.pid()) + " on");
    child.end(signal);
    const FolderLock free_again(folder.path());
  }
  const auto take_and_exit = [&] {
    const FolderLock held(folder.path());
    return 0;
  };
  EXPECT_EQ(status_of_child(take_and_exit), 0);
  const FolderLock free_again(folder.path());
}

TEST(FolderLock, GoesWithTheFolderWhenThatIsRenamed) {
  const TempFolder folder;
  fs::create_directory(folder / "a");
  const FolderLock lock(folder / "a");
  fs::rename(folder / "a", folder / "b");
  expect_error([&] { FolderLock(folder / "b"); }, "b: is in use");
  fs::create_directory(folder / "a");
  const FolderLock another(folder / "a");
}

TEST(FolderLock, IsNotHandedToProgramsThatAreStarted) {
  const TempFolder folder;
  const FolderLock lock(folder.path());
  int flags = -1;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
    std::error_code gone;  // the iterator's own descriptor
    if (fs::read_symlink(entry.path(), gone) != fs::canonical(folder / ".lock")) continue;
    flags = ::fcntl(std::stoi(entry.path().filename()), F_GETFD);
  }
  ASSERT_GE(flags, 0);
  EXPECT_TRUE(flags & FD_CLOEXEC);
}

TEST(FolderLock, AnUnreadableHolderIsJustAnotherProcess) {
  const TempFolder folder;
  const FolderLock lock(folder.path());
  for (const char* text : {"", "12", "12 \n", "x y\n", "12 \x1b[31m\n"}) {
    FileWriter(folder / ".lock").write(std::string(text));
    expect_error([&] { FolderLock(folder.path()); }, "is in use by another process - wait");
  }
}

TEST(FolderLock, SaysWhyNoLockCanBeHad) {
  const TempFolder folder;
  expect_error([&] { FolderLock(folder / "no"); }, "no: cannot be locked: ", "no/.lock: No such file");
  fs::create_directories(folder / "taken/.lock");
  expect_error([&] { FolderLock(folder / "taken"); }, "taken: cannot be locked", "Is a directory");
  // Root may write anywhere: somebody else looks.
  fs::create_directory(folder / "shut");
  fs::permissions(folder.path(), fs::perms(0755));
  fs::permissions(folder / "shut", fs::perms(0555));
  const auto look = [&] {
    if (::getuid() == 0 && ::setuid(65534) != 0) return 3;
    try {
      const FolderLock lock(folder / "shut");
    } catch (const Error& error) {
      return std::string(error.what()).ends_with("shut/.lock: Permission denied") ? 0 : 2;
    }
    return 1;
  };
  EXPECT_EQ(status_of_child(look), 0);
}

}  // namespace
}  // namespace adasample
