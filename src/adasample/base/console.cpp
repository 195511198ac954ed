// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/console.h"

#include <unistd.h>

#include <cerrno>

namespace adasample {

bool console_is_terminal() { return ::isatty(STDERR_FILENO) == 1; }

void write_console(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // nobody is left to be told
    text.remove_prefix(static_cast<size_t>(written));
  }
}

}  // namespace adasample
