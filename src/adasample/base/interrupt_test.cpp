// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/interrupt.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <optional>
#include <thread>

#include "adasample/base/files/file_io.h"
#include "tests/support/child.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

// In a child of its own: how it ends when it gets these signals, so many milliseconds apart. Exits with 7 where it is
// still there and knows that it was asked to stop.
int status_after(std::initializer_list<int> signals, int apart) {
  const pid_t child = ::fork();
  if (child == 0) {
    catch_interrupts();
    for (const int signal : signals) {
      std::raise(signal);
      std::this_thread::sleep_for(std::chrono::milliseconds(apart));
    }
    ::_exit(stop_requested() ? 7 : 8);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return status;
}

// The same for a child that never asks, and has a file of this name to remove.
int status_of_deaf_child(int signal, const std::filesystem::path& left, bool long_goodbye) {
  return testing::status_of_child([&] {
    catch_interrupts();
    write_file_atomically(left, "x");
    const AtForcedEnd clean_up([&] { std::filesystem::remove(left); });
    std::optional<LongGoodbye> goodbye;
    if (long_goodbye) goodbye.emplace();
    std::raise(signal);
    std::this_thread::sleep_for(kPatience + std::chrono::milliseconds(long_goodbye ? 300 : 5000));
    return stop_requested() ? 7 : 8;
  });
}

TEST(Interrupt, WhoDoesNotListenIsEndedAndCleanedUpAfter) {
  const testing::TempFolder folder;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const int status = status_of_deaf_child(signal, folder / "left", /*long_goodbye=*/false);
    ASSERT_TRUE(WIFEXITED(status)) << signal;
    EXPECT_EQ(WEXITSTATUS(status), kInterruptedExitCode);
    EXPECT_FALSE(std::filesystem::exists(folder / "left"));
  }
}

// Nobody reads what it says, and what cleans up behind it hangs: it ends all the same.
TEST(Interrupt, NothingKeepsItFromEnding) {
  const auto start = std::chrono::steady_clock::now();
  const int status = testing::status_of_child([] {
    ::alarm(10);  // so that the test ends where the process does not
    int ends[2];
    if (::pipe2(ends, O_NONBLOCK) != 0) return 9;
    while (::write(ends[1], "x", 1) == 1) {
    }
    ::fcntl(ends[1], F_SETFL, 0);  // who writes to it now waits
    ::dup2(ends[1], STDERR_FILENO);
    catch_interrupts();
    const AtForcedEnd clean_up([] { std::this_thread::sleep_for(std::chrono::seconds(8)); });
    std::raise(SIGTERM);
    std::this_thread::sleep_for(std::chrono::seconds(8));
    return 8;
  });
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), kInterruptedExitCode);
  EXPECT_LT(std::chrono::steady_clock::now() - start, kPatience + kCleanUp + std::chrono::seconds(1));
}

// Signals that whoever started us has blocked, or that arrived while another program was put in our place.
TEST(Interrupt, OnesHeldBackAreHeard) {
  const int status = testing::status_of_child([] {
    hold_interrupts();
    std::raise(SIGTERM);
    if (stop_requested()) return 9;
    catch_interrupts();
    return stop_requested() ? 7 : 8;
  });
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST(Interrupt, SomeMayTakeLonger) {
  const testing::TempFolder folder;
  EXPECT_EQ(WEXITSTATUS(status_of_deaf_child(SIGTERM, folder / "left", /*long_goodbye=*/true)), 7);
  EXPECT_TRUE(std::filesystem::exists(folder / "left"));
}

TEST(Interrupt, NohupHolds) {
  const int status = testing::status_of_child([] {
    std::signal(SIGHUP, SIG_IGN);
    catch_interrupts();
    std::raise(SIGHUP);
    return stop_requested() ? 7 : 8;
  });
  EXPECT_EQ(WEXITSTATUS(status), 8);
}

TEST(Interrupt, TheFirstIsAQuestion) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const int status = status_after({signal}, 0);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 7);
  }
  EXPECT_EQ(WEXITSTATUS(status_after({}, 0)), 8);
}

TEST(Interrupt, OneThatArrivesTwiceIsOne) {
  const int status = status_after({SIGINT, SIGINT, SIGTERM}, 5);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST(Interrupt, AnotherLaterEndsTheProcess) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const int status = status_after({signal, signal}, 1100);
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), signal);
  }
}

}  // namespace
}  // namespace adasample
