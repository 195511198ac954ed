// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/run_program.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "adasample/base/error.h"
#include "adasample/base/interrupt.h"

namespace adasample {
namespace fs = std::filesystem;

namespace {

constexpr auto kBetweenLooks = std::chrono::milliseconds(20);

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> environment_with(const std::vector<std::string>& settings) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) all.emplace_back(*entry);
  for (const std::string& setting : settings) {
    if (std::getenv(setting.substr(0, setting.find('=')).c_str()) == nullptr) all.push_back(setting);
  }
  return all;
}

}  // namespace

std::optional<fs::path> find_program(const std::string& name) {
  const auto runs = [](const fs::path& file) {
    std::error_code error;
    return fs::is_regular_file(file, error) && ::access(file.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos) return runs(name) ? std::optional(fs::path(name)) : std::nullopt;
  const char* path = std::getenv("PATH");
  std::string folders = path == nullptr ? "/usr/bin:/bin" : path;
  for (size_t begin = 0; begin <= folders.size();) {
    const size_t end = std::min(folders.find(':', begin), folders.size());
    const fs::path folder = folders.substr(begin, end - begin);
    if (folder.is_absolute() && runs(folder / name)) return folder / name;
    begin = end + 1;
  }
  return std::nullopt;
}

int run_program(const std::vector<std::string>& words, const fs::path& log, const std::vector<std::string>& settings) {
  ADA_ASSERT(!words.empty());
  std::vector<std::string> arguments = words, environment = environment_with(settings);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
  ::posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t process = -1;
  const int failure = ::posix_spawn(&process, words.front().c_str(), &actions, nullptr, pointers_to(arguments).data(),
                                    pointers_to(environment).data());
  ::posix_spawn_file_actions_destroy(&actions);
  ADA_CHECK(failure == 0, "{}: cannot be started: {}", words.front(), errno_text(failure));
  int status = 0;
  for (pid_t ended = 0; ended == 0;) {
    ended = ::waitpid(process, &status, WNOHANG);
    ADA_CHECK(ended >= 0, "{}: cannot be waited for: {}", words.front(), errno_text(errno));
    if (ended == 0 && stop_requested()) {
      ::kill(process, SIGKILL);
      ::waitpid(process, &status, 0);
      ADA_THROW_KIND(kInterrupted, "{} interrupted", fs::path(words.front()).filename().string());
    }
    if (ended == 0) std::this_thread::sleep_for(kBetweenLooks);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string command_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    if (!word.empty() &&
        word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,") ==
            std::string::npos) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word) line += c == '\'' ? "'\\''" : std::string(1, c);
    line += '\'';
  }
  return line;
}

}  // namespace adasample
