// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/interrupt.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

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

TEST(Interrupt, TheFirstIsAQuestion) {
  for (const int signal : {SIGINT, SIGTERM}) {
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
