// SPDX-License-Identifier: Apache-2.0
// Writing one file on write(2), with its own buffer: stdio would hide how much of a short write got through.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "adasample/base/files/open_file.h"

namespace adasample {

// A file being written; buffered. Short writes are continued. Every failure (a full disk, a quota, `ulimit -f`) throws
// Error that names path and cause, and ends the writer: after a failed write or fsync nobody knows what the file holds,
// and a second fsync would succeed without having written anything.
// close() flushes and fsyncs; a destroyed but unclosed writer writes what it holds, if it can, and lets go.
class FileWriter {
 public:
  // Empties the file, or with `append` goes to its end; creates it when it is not there.
  explicit FileWriter(const std::filesystem::path& path, bool append = false);
  // Of a file that is open and empty; `path` is for messages.
  FileWriter(FileHandle file, const std::filesystem::path& path);
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  void write(std::span<const uint8_t> bytes);
  void write(std::string_view text);
  // Overwrites bytes at an earlier offset and returns to the end.
  void write_at(uint64_t offset, std::string_view text);
  void flush();  // survives the end of the process
  void sync();   // survives the end of the machine; the file stays open
  void close();
  uint64_t size() const { return size_; }  // of the file, with what was there before and what is still buffered

 private:
  void require_open() const;
  void check(int error, std::string_view what);

  std::filesystem::path path_;
  int fd_ = -1;
  uint64_t size_ = 0;
  std::vector<uint8_t> buffer_;
};

// fsync of what is there already, file or folder; throws Error that names it.
void sync_path(const std::filesystem::path& path);

// Beyond `ulimit -f` the kernel sends SIGXFSZ, which ends the process, before write(2) may fail with EFBIG. To be
// called by whoever writes through another library (SQLite); FileWriter does it itself. Not in main(), so that a
// program that embeds us gets its Error too; a handler of its own is kept.
void ignore_file_size_signal();

}  // namespace adasample
