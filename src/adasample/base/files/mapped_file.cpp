// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/files/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "adasample/base/error.h"

namespace adasample {

MappedFile::MappedFile(const std::filesystem::path& path, OnLoss on_loss) : path_(path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a pipe is to be refused, not waited for
  ADA_CHECK(fd >= 0, "[file] {}: cannot be opened: {}", path.string(), errno_text(errno));
  struct stat info {};
  const bool regular = ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
  void* address = nullptr;
  int map_errno = 0;
  if (regular && info.st_size > 0) {
    address = ::mmap(nullptr, static_cast<size_t>(info.st_size), PROT_READ, MAP_SHARED, fd, 0);
    if (address == MAP_FAILED) {
      map_errno = errno;
      address = nullptr;
    }
  }
  if (address != nullptr && on_loss == OnLoss::kTolerate) {
    fd_ = fd;
  } else {
    ::close(fd);  // the mapping keeps the file alive
  }
  ADA_CHECK(regular, "[file] {}: is not a regular file", path.string());
  ADA_CHECK(map_errno == 0, "[file] {}: cannot be mapped: {}", path.string(), errno_text(map_errno));
  data_ = static_cast<const uint8_t*>(address);
  size_ = static_cast<size_t>(info.st_size);
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

bool MappedFile::lost() const {
  struct stat info {};
  return known_lost() || (fd_ >= 0 && (::fstat(fd_, &info) != 0 || static_cast<size_t>(info.st_size) < size_));
}

void MappedFile::advise_random() const {
  if (data_ != nullptr) ::madvise(const_cast<uint8_t*>(data_), size_, MADV_RANDOM);
}

}  // namespace adasample
