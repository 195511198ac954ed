// SPDX-License-Identifier: Apache-2.0
// The one way to open a file. Names come from users, and what stands under them from anybody: a pipe that nobody writes
// to, a device that never ends, a link to another person's file. So only regular files are opened, nothing is waited
// for, and what is written to is never reached through a link.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace adasample {

// A file descriptor, closed at the end.
class FileHandle {
 public:
  FileHandle() = default;
  explicit FileHandle(int descriptor) : descriptor_(descriptor) {}
  ~FileHandle();
  FileHandle(FileHandle&& other) noexcept : descriptor_(other.release()) {}
  FileHandle& operator=(FileHandle&& other) noexcept;

  int get() const { return descriptor_; }
  int release() { return std::exchange(descriptor_, -1); }
  bool is_open() const { return descriptor_ >= 0; }

 private:
  int descriptor_ = -1;
};

struct OpenedFile {
  FileHandle handle;
  uint64_t size = 0;  // when it was opened
};

// Throw Error that names the path where it cannot be opened or is no regular file.
OpenedFile open_to_read(const std::filesystem::path& path);  // follows links
// Creates the file where it is not there; what it holds stays.
OpenedFile open_to_write(const std::filesystem::path& path);

// A new file in `folder`, opened for writing, under a name that nobody can have foreseen: `prefix` and eight letters.
// `path` becomes that name.
OpenedFile create_hidden(const std::filesystem::path& folder, const std::string& prefix, std::filesystem::path& path);

bool is_hidden_name(std::string_view name, std::string_view prefix);  // one that create_hidden may have given

// What hidden files and folders beside `target` begin with while it is being written: ".NAME.writing-"; a long name is
// cut, so that what is added does not make it too long.
std::string hidden_prefix(const std::filesystem::path& target);

// Throws Error where the last part of `path` is longer than a file system allows: to be asked before hours of work end
// with a file that cannot be given its name.
void check_name_length(const std::filesystem::path& path);

// The whole content of a file of at most `most` bytes. Throws Error before it reads a larger one.
inline constexpr uint64_t kMostText = uint64_t{1} << 30, kMostJson = uint64_t{64} << 20;
std::string read_text(const std::filesystem::path& path, uint64_t most = kMostText);

}  // namespace adasample
