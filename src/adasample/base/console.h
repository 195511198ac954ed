// SPDX-License-Identifier: Apache-2.0
// The screen as our own messages see it. Image codecs print warnings of their own to stderr; while a QuietStderr lives
// those go nowhere, and ours still appear.
#pragma once

#include <string_view>

namespace adasample {

// The file descriptor of our messages: 2, or its copy while a QuietStderr lives.
int console();
bool console_is_terminal();
void write_console(std::string_view text);

// File descriptor 2 leads nowhere during its life. One at a time, made and destroyed while no other thread prints.
class QuietStderr {
 public:
  QuietStderr();
  ~QuietStderr();
  QuietStderr(const QuietStderr&) = delete;
  QuietStderr& operator=(const QuietStderr&) = delete;
};

}  // namespace adasample
