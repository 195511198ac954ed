// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/files/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

#include "adasample/base/error.h"
#include "adasample/base/text.h"

namespace adasample {
namespace {

std::string own_name() {
  char host[256] = {};
  if (::gethostname(host, sizeof host - 1) != 0 || host[0] == '\0') return fmt::format("{} unknown\n", ::getpid());
  return fmt::format("{} {}\n", ::getpid(), host);
}

// "process 1234 on host h" from the lock file, whose holder may not have written it yet.
std::string holder(int fd) {
  char text[512];
  const ssize_t got = ::pread(fd, text, sizeof text, 0);
  const std::string_view line = trimmed({text, got > 0 ? static_cast<size_t>(got) : 0});
  const size_t blank = std::min(line.find(' '), line.size());
  const std::string_view host = trimmed(line.substr(blank));
  int64_t process = 0;
  const bool known = parse_number(line.substr(0, blank), process) && !host.empty() &&
                     std::all_of(host.begin(), host.end(), [](char c) { return c > ' ' && c <= '~'; });
  return known ? fmt::format("process {} on host {}", process, host) : "another process";
}

}  // namespace

FolderLock::FolderLock(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / ".lock";
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  ADA_CHECK(fd >= 0, "[run] {}: cannot be locked: {}: {}", folder.string(), path.string(), errno_text(errno));
  while (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    if (error == EINTR) continue;
    const std::string who = holder(fd);
    ::close(fd);
    ADA_CHECK(error != EWOULDBLOCK, "[run] {}: is in use by {} - wait for it or stop it", folder.string(), who);
    ADA_THROW("[run] {}: cannot be locked: {}: {}", folder.string(), path.string(), errno_text(error));
  }
  fd_ = fd;
  const std::string name = own_name();
  const bool written = ::ftruncate(fd, 0) == 0 && ::pwrite(fd, name.data(), name.size(), 0) > 0;
  static_cast<void>(written);  // only others' messages want it: on a full disk the lock holds without
}

FolderLock::~FolderLock() {
  if (fd_ >= 0) ::close(fd_);
}

FolderLock::FolderLock(FolderLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

FolderLock& FolderLock::operator=(FolderLock&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

}  // namespace adasample
