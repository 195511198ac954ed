// SPDX-License-Identifier: Apache-2.0
// Messages for people, on stderr; stdout belongs to results. Tests fail on any warning (tests/support/gtest_main.cpp).
// spdlog stays behind this header: a LibTorch that ships another fmt than spdlog was built with would break every file
// that sees both.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace adasample {

// Plain lines on stderr, coloured on a terminal. `verbosity`: -1 quiet (warnings only), 0 normal, 1 debug.
void set_up_logging(int verbosity);

void log_info_text(const std::string& text);
void log_warning_text(const std::string& text);

template <typename... Args>
void log_info(fmt::format_string<Args...> format, Args&&... args) {
  log_info_text(fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
void log_warning(fmt::format_string<Args...> format, Args&&... args) {
  log_warning_text(fmt::format(format, std::forward<Args>(args)...));
}

// Takes the warnings that this thread logs while it lives, in place of stderr: for a program that embeds us and has
// ways of its own to tell them (the Python package). Those of other threads go to stderr as ever.
class WarningCollector {
 public:
  WarningCollector();
  ~WarningCollector();
  WarningCollector(const WarningCollector&) = delete;
  WarningCollector& operator=(const WarningCollector&) = delete;

  std::vector<std::string> warnings;

 private:
  WarningCollector* before_;
};

// The first 20 of the messages, then how many more `things` ("sequences") were left out.
void log_first_warnings(const std::vector<std::string>& messages, std::string_view things);

}  // namespace adasample
