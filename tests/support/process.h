// SPDX-License-Identifier: Apache-2.0
// A child process that can be killed: `sh -c COMMAND` in a folder, output in out.txt and err.txt there.
#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

namespace adasample::testing {

class Process {
 public:
  // `environment` is put before the command as it stands: "A=1 B=2". The command replaces the shell, so that a signal
  // reaches it.
  Process(const std::filesystem::path& folder, const std::string& command, const std::string& environment = "") {
    const std::string line = "exec env " + environment + " " + command + " >out.txt 2>err.txt </dev/null";
    pid_ = ::fork();
    if (pid_ != 0) return;
    if (::chdir(folder.c_str()) != 0) ::_exit(127);
    ::execl("/bin/sh", "sh", "-c", line.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  ~Process() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      wait();
    }
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void kill(int signal = SIGKILL) const { ::kill(pid_, signal); }

  // The exit code, or minus the signal that ended it.
  int wait() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  // Waits for `condition`, looking every few milliseconds; false when the process ended before.
  template <typename Condition>
  bool wait_until(const Condition& condition) {
    while (!condition()) {
      int status = 0;
      if (::waitpid(pid_, &status, WNOHANG) != 0) {
        pid_ = -1;
        return false;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
    }
    return true;
  }

 private:
  pid_t pid_ = -1;
};

}  // namespace adasample::testing
