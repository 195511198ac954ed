// SPDX-License-Identifier: Apache-2.0
// A file mapped read-only into memory: opens in microseconds whatever its size, pages are read when touched. A file
// that shrinks or cannot be read any more while it is mapped ends the program with a line that names it, or, with
// OnLoss::kTolerate, is reported by lost(). A file that is overwritten in place is not noticed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "adasample/base/files/mapping_guard.h"

namespace adasample {

class MappedFile {
 public:
  MappedFile() = default;
  // Throws Error that names the path when it cannot be opened or is no regular file. An empty file maps to no bytes.
  explicit MappedFile(const std::filesystem::path& path, OnLoss on_loss = OnLoss::kExit);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const uint8_t> bytes() const { return {data_, size_}; }
  const std::filesystem::path& path() const { return path_; }

  // For OnLoss::kTolerate, to be asked after bytes were read: they may have been zeros in place of the file's. One
  // system call: behind the end of a file its last page reads as zeros without a fault, so its size is compared too.
  bool lost() const;
  void check_intact(const char* module) const;  // the same as an Error that names the file
  // The same without the system call: only what a fault has told already.
  bool known_lost() const { return guard_ != nullptr && guard_->lost(); }

  // Tells the kernel that access will jump about, so that it does not read ahead.
  void advise_random() const;

 private:
  std::filesystem::path path_;
  const uint8_t* data_ = nullptr;
  size_t size_ = 0;
  int fd_ = -1;  // kept open for lost() where loss is tolerated; a thousand sheets of patches must not hold one each
  std::unique_ptr<MappingGuard> guard_;
};

}  // namespace adasample
