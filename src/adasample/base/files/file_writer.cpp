// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/files/file_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <signal.h>
#include <cerrno>
#include <csignal>
#include <utility>

#include "adasample/base/error.h"

namespace adasample {
namespace {

constexpr size_t kBuffer = size_t{1} << 16;

std::span<const uint8_t> as_bytes(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

// Calls write_some(bytes left, bytes done) until all is written. Returns 0 or an errno value.
template <typename WriteSome>
int write_all(std::span<const uint8_t> bytes, WriteSome&& write_some) {
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t got = write_some(bytes.subspan(done), done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) return EIO;  // no error, no progress: trying again would spin for ever
    done += static_cast<size_t>(got);
  }
  return 0;
}

int append_all(int fd, std::span<const uint8_t> bytes) {
  return write_all(bytes, [&](std::span<const uint8_t> left, size_t) { return ::write(fd, left.data(), left.size()); });
}

int sync_descriptor(int fd) {
  int result;
  do {
    result = ::fsync(fd);
  } while (result != 0 && errno == EINTR);
  return result == 0 ? 0 : errno;
}

}  // namespace

FileWriter::FileWriter(FileHandle file, const std::filesystem::path& path) : path_(path), fd_(file.release()) {
  ignore_file_size_signal();
  buffer_.reserve(kBuffer);
}

// Not O_APPEND: with it Linux's pwrite would append, whatever the offset.
FileWriter::FileWriter(const std::filesystem::path& path, bool append) : FileWriter(open_to_write(path).handle, path) {
  const off_t end = ::lseek(fd_, 0, SEEK_END);
  check(end < 0 ? errno : 0, "cannot be appended to");
  if (append) {
    size_ = static_cast<uint64_t>(end);
  } else if (end > 0) {
    check(::ftruncate(fd_, 0) == 0 && ::lseek(fd_, 0, SEEK_SET) == 0 ? 0 : errno, "cannot be emptied");
  }
}

FileWriter::~FileWriter() {
  if (fd_ < 0) return;
  append_all(fd_, buffer_);  // whoever wants to know calls close()
  ::close(fd_);
}

void FileWriter::require_open() const {
  ADA_CHECK(fd_ >= 0, "[file] {}: cannot be written: was closed, or an earlier write failed", path_.string());
}

void FileWriter::check(int error, std::string_view what) {
  if (error == 0) return;
  ::close(std::exchange(fd_, -1));
  ADA_THROW("[file] {}: {}: {}", path_.string(), what, errno_text(error));
}

void FileWriter::write(std::span<const uint8_t> bytes) {
  require_open();
  if (buffer_.size() + bytes.size() > kBuffer) flush();
  if (bytes.size() > kBuffer) {
    check(append_all(fd_, bytes), "cannot be written");
  } else {
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  }
  size_ += bytes.size();
}

void FileWriter::write(std::string_view text) { write(as_bytes(text)); }

void FileWriter::write_at(uint64_t offset, std::string_view text) {
  ADA_ASSERT(offset + text.size() <= size_);
  flush();
  const auto put = [&](std::span<const uint8_t> left, size_t done) {
    return ::pwrite(fd_, left.data(), left.size(), static_cast<off_t>(offset + done));
  };
  check(write_all(as_bytes(text), put), "cannot be written");
}

void FileWriter::flush() {
  require_open();
  check(append_all(fd_, buffer_), "cannot be written");
  buffer_.clear();
}

void FileWriter::sync() {
  flush();
  check(sync_descriptor(fd_), "fsync failed");
}

void FileWriter::close() {
  sync();
  const int result = ::close(std::exchange(fd_, -1));
  ADA_CHECK(result == 0 || errno == EINTR, "[file] {}: cannot be closed: {}", path_.string(), errno_text(errno));
}

void sync_path(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  ADA_CHECK(fd >= 0, "[file] {}: cannot be opened: {}", path.string(), errno_text(errno));
  const int error = sync_descriptor(fd);
  ::close(fd);
  ADA_CHECK(error == 0, "[file] {}: fsync failed: {}", path.string(), errno_text(error));
}

void ignore_file_size_signal() {
  struct sigaction now {};
  if (::sigaction(SIGXFSZ, nullptr, &now) == 0 && now.sa_handler == SIG_DFL) std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace adasample
