// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/console.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>

#include "adasample/base/error.h"

namespace adasample {
namespace {

std::atomic<int> descriptor{STDERR_FILENO};

}  // namespace

int console() { return descriptor; }

bool console_is_terminal() { return ::isatty(console()) == 1; }

void write_console(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(console(), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // nobody is left to be told
    text.remove_prefix(static_cast<size_t>(written));
  }
}

QuietStderr::QuietStderr() {
  ADA_ASSERT(descriptor == STDERR_FILENO);
  std::fflush(stderr);
  const int copy = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (copy >= 0 && nowhere >= 0 && ::dup2(nowhere, STDERR_FILENO) >= 0) {
    descriptor = copy;
  } else if (copy >= 0) {
    ::close(copy);  // without descriptors to spare the codecs may chatter
  }
  if (nowhere >= 0) ::close(nowhere);
}

QuietStderr::~QuietStderr() {
  if (descriptor == STDERR_FILENO) return;
  std::fflush(stderr);  // what is still buffered was meant to go nowhere
  const int copy = descriptor.exchange(STDERR_FILENO);
  ::dup2(copy, STDERR_FILENO);
  ::close(copy);
}

}  // namespace adasample
