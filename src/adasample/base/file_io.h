// SPDX-License-Identifier: Apache-2.0
// Writing that a crash cannot leave half done: a file is written beside its name, fsynced and renamed; a folder is
// filled beside its name, every file and the folder fsynced, then renamed. What stands under the final name is always
// complete.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace adasample {

// A file being written; buffered. Every failed write (a full disk, a quota) throws Error that names the path.
// close() flushes and fsyncs; a destroyed but unclosed writer just lets go.
class FileWriter {
 public:
  explicit FileWriter(const std::filesystem::path& path, bool append = false);
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  void write(std::span<const uint8_t> bytes);
  void write(std::string_view text);
  // Overwrites bytes at an earlier offset and returns to the end.
  void write_at(uint64_t offset, std::string_view text);
  void flush();
  void close();
  uint64_t size() const { return size_; }

 private:
  std::filesystem::path path_;
  std::FILE* file_ = nullptr;
  uint64_t size_ = 0;
};

// The whole content of a text file.
std::string read_text(const std::filesystem::path& path);

// Replaces `path` by `content`, all or nothing.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

// Removes a folder and what is in it; what cannot be removed stays. Ours because libtorch.so of PyTorch 2 exports a
// broken std::filesystem::remove_all, which a program that links it would call.
void remove_tree(const std::filesystem::path& path);

// Throws Error when `path` exists: no command of ours overwrites a folder.
void refuse_existing(const std::filesystem::path& path);

// A folder under construction: `work()` is the hidden folder beside `final_path`; commit() makes it appear under its
// name; without commit() it is removed. Throws Error when the final path already exists.
class StagedFolder {
 public:
  explicit StagedFolder(std::filesystem::path final_path);
  ~StagedFolder();
  StagedFolder(const StagedFolder&) = delete;
  StagedFolder& operator=(const StagedFolder&) = delete;

  const std::filesystem::path& work() const { return work_; }
  void commit();

 private:
  std::filesystem::path final_path_, work_;
  bool committed_ = false;
};

}  // namespace adasample
