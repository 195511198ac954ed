// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/console.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace adasample {

void open_standard_descriptors() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (::fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest free number is this one. Where there is no /dev/null nothing can be done, nor said.
    if (::open("/dev/null", fd == STDIN_FILENO ? O_RDONLY : O_WRONLY) < 0) return;
  }
}

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
