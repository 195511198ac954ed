// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "adasample/base/error.h"

namespace adasample {

MappedFile::MappedFile(const std::filesystem::path& path) : path_(path) {
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
  ::close(fd);  // the mapping keeps the file alive
  ADA_CHECK(regular, "[file] {}: is not a regular file", path.string());
  ADA_CHECK(map_errno == 0, "[file] {}: cannot be mapped: {}", path.string(), errno_text(map_errno));
  data_ = static_cast<const uint8_t*>(address);
  size_ = static_cast<size_t>(info.st_size);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<uint8_t*>(data_), size_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept { *this = std::move(other); }

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

void MappedFile::advise_random() const {
  if (data_ != nullptr) ::madvise(const_cast<uint8_t*>(data_), size_, MADV_RANDOM);
}

}  // namespace adasample
