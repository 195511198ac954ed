// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/files/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "adasample/base/error.h"
#include "adasample/base/files/open_file.h"

namespace adasample {

MappedFile::MappedFile(const std::filesystem::path& path, OnLoss on_loss) : path_(path) {
  OpenedFile file = open_to_read(path);
  void* address = nullptr;
  if (file.size > 0) {
    address = ::mmap(nullptr, file.size, PROT_READ, MAP_SHARED, file.handle.get(), 0);
    ADA_CHECK(address != MAP_FAILED, "[file] {}: cannot be mapped: {}", path.string(), errno_text(errno));
    if (on_loss == OnLoss::kTolerate) fd_ = file.handle.release();  // else the mapping keeps the file alive
  }
  data_ = static_cast<const uint8_t*>(address);
  size_ = file.size;
  if (data_ != nullptr) guard_ = std::make_unique<MappingGuard>(bytes(), path.string(), on_loss);
}

MappedFile::~MappedFile() {
  guard_.reset();
  if (data_ != nullptr) ::munmap(const_cast<uint8_t*>(data_), size_);
  if (fd_ >= 0) ::close(fd_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept { *this = std::move(other); }

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(fd_, other.fd_);
  std::swap(guard_, other.guard_);
  return *this;
}

void MappedFile::check_intact(const char* module) const {
  ADA_CHECK(!lost(), "[{}] {}: was truncated or became unreadable while it was read", module, path_.string());
}

bool MappedFile::lost() const {
  struct stat info {};
  return known_lost() || (fd_ >= 0 && (::fstat(fd_, &info) != 0 || static_cast<size_t>(info.st_size) < size_));
}

void MappedFile::advise_random() const {
  if (data_ != nullptr) ::madvise(const_cast<uint8_t*>(data_), size_, MADV_RANDOM);
}

}  // namespace adasample
