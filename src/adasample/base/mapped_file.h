// SPDX-License-Identifier: Apache-2.0
// A file mapped read-only into memory: opens in microseconds whatever its size, pages are read when touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace adasample {

class MappedFile {
 public:
  MappedFile() = default;
  // Throws Error that names the path when it cannot be opened or is no regular file. An empty file maps to no bytes.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const uint8_t> bytes() const { return {data_, size_}; }
  const std::filesystem::path& path() const { return path_; }

  // Tells the kernel that access will jump about, so that it does not read ahead.
  void advise_random() const;

 private:
  std::filesystem::path path_;
  const uint8_t* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace adasample
