// SPDX-License-Identifier: Apache-2.0
// Runs a program under tests/support/fault_shim.c, where ADASAMPLE_FAULT_SHIM is the library's path.
#pragma once

#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "adasample/base/files/file_io.h"
#include "tests/support/temp_folder.h"

namespace adasample::testing {

struct FaultRun {
  int code = -1;    // exit code; 128 + signal when a signal ended it
  std::string out;  // stdout and stderr
};

// A program with AddressSanitizer does not start behind another library otherwise; and it is often killed.
inline constexpr const char* kSanitizersBehindShim = "verify_asan_link_order=0:detect_leaks=0";

// `fault` as in fault_shim.c, met by calls on paths that contain `path_part`; none where it is empty.
inline FaultRun run_with_fault(std::vector<std::string> command, const std::string& fault, const std::string& path_part,
                               const std::string& count_file = "") {
  const TempFolder folder;
  const std::string out = (folder / "out").string();
  const pid_t child = ::fork();
  if (child == 0) {
    const int fd = ::open(out.c_str(), O_WRONLY | O_CREAT, 0600);
    ::dup2(fd, STDOUT_FILENO);
    ::dup2(fd, STDERR_FILENO);
    if (!fault.empty()) {
      ::setenv("LD_PRELOAD", ADASAMPLE_FAULT_SHIM, 1);
      ::setenv("ADA_FAULT", fault.c_str(), 1);
      ::setenv("ADA_FAULT_PATH", path_part.c_str(), 1);
      ::setenv("ADA_FAULT_COUNT", count_file.c_str(), 1);
      ::setenv("ASAN_OPTIONS", kSanitizersBehindShim, 1);
    }
    std::vector<char*> arguments;
    for (std::string& word : command) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    ::execv(arguments[0], arguments.data());
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return {WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status), read_text(out)};
}

// How many calls of the kind ("any", "fsync", ..) the command makes; those of programs that it starts do not count.
inline int count_calls(const std::vector<std::string>& command, const std::string& kind, const std::string& path_part) {
  const TempFolder folder;
  const FaultRun run = run_with_fault(command, kind + ":COUNT", path_part, (folder / "count").string());
  if (run.code != 0) return -1;
  std::string counts = read_text(folder / "count");  // a line each, its own last
  counts.pop_back();
  return std::stoi(counts.substr(counts.rfind('\n') + 1));
}

}  // namespace adasample::testing
