// SPDX-License-Identifier: Apache-2.0
// A forked process for tests of what a process's end leaves behind.
#pragma once

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace adasample::testing {

// Runs `body` in a child that then waits until it is ended; constructed when the body is done.
class Child {
 public:
  template <typename Body>
  explicit Child(Body&& body) {
    int ready[2];
    if (::pipe(ready) != 0) return;
    pid_ = ::fork();
    if (pid_ == 0) {
      body();
      if (::write(ready[1], "x", 1) != 1) ::_exit(1);
      for (;;) ::pause();
    }
    char byte = 0;
    ::close(ready[1]);
    started_ = ::read(ready[0], &byte, 1) == 1;
    ::close(ready[0]);
  }
  ~Child() { end(SIGKILL); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  bool started() const { return started_; }
  pid_t pid() const { return pid_; }
  // Sends the signal and waits for the end.
  void end(int signal) {
    if (pid_ <= 0) return;
    ::kill(pid_, signal);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

 private:
  pid_t pid_ = -1;
  bool started_ = false;
};

// Runs `body` in a child and returns its wait status; the child exits with what body() returns.
template <typename Body>
int status_of_child(Body&& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = -1;
  ::waitpid(child, &status, 0);
  return status;
}

}  // namespace adasample::testing
