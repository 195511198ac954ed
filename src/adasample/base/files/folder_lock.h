// SPDX-License-Identifier: Apache-2.0
// One process at a time in a folder: flock on `folder/.lock`, held until destroyed. The kernel lets go of it when the
// process ends, however it does; so the file may stay, and its being there means nothing.
#pragma once

#include <filesystem>

namespace adasample {

class FolderLock {
 public:
  // Throws Error that names process and host of the holder when somebody else, or this process, has it; and when no
  // lock can be had there. The folder may be renamed while it is locked.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&& other) noexcept;
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int fd_ = -1;
};

}  // namespace adasample
