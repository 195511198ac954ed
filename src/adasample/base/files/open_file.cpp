// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/files/open_file.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "adasample/base/bytes/sha256.h"
#include "adasample/base/error.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;

constexpr int kNames = 100;           // tried before it is called impossible
constexpr size_t kLongestName = 255;  // bytes, on all file systems that matter
constexpr size_t kAdded = 40;         // ".", ".writing-" and a process or a random number
constexpr size_t kHash = 16;          // hex digits that tell long names apart
constexpr size_t kRandom = 8;         // of these:
constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz012345";
constexpr int kFlags = O_CLOEXEC | O_NOCTTY | O_NONBLOCK;  // O_NONBLOCK: a pipe is to be refused, not waited for

const char* kind_of(mode_t mode) {
  return S_ISDIR(mode)    ? "a folder"
         : S_ISFIFO(mode) ? "a pipe"
         : S_ISSOCK(mode) ? "a socket"
         : S_ISCHR(mode) || S_ISBLK(mode) ? "a device"
                                          : "no regular file";
}

OpenedFile opened(int descriptor, const fs::path& path) {
  FileHandle handle(descriptor);
  struct stat info {};
  ADA_CHECK(::fstat(descriptor, &info) == 0, "[file] {}: cannot be opened: {}", path.string(), errno_text(errno));
  ADA_CHECK(S_ISREG(info.st_mode), "[file] {}: cannot be opened: is {}, not a file", path.string(),
            kind_of(info.st_mode));
  return {std::move(handle), static_cast<uint64_t>(info.st_size)};
}

std::string random_letters() {
  std::array<unsigned char, kRandom> bytes{};
  ADA_CHECK(::getrandom(bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()),
            "[file] no random numbers: {}", errno_text(errno));
  std::string letters;
  for (const unsigned char byte : bytes) letters += kLetters[byte % kLetters.size()];
  return letters;
}

}  // namespace

FileHandle::~FileHandle() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

FileHandle& FileHandle::operator=(FileHandle&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

OpenedFile open_to_read(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | kFlags);
  ADA_CHECK(descriptor >= 0, "[file] {}: cannot be opened: {}", path.string(),
            errno == ENXIO ? "is a socket, not a file" : errno_text(errno));
  return opened(descriptor, path);
}

OpenedFile open_to_write(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | kFlags, 0666);
  ADA_CHECK(descriptor >= 0, "[file] {}: cannot be created: {}", path.string(),
            errno == ELOOP    ? "is a link, which is not written through"
            : errno == ENXIO  ? "is a pipe or a socket, not a file"
            : errno == EISDIR ? "is a folder, not a file"
                              : errno_text(errno));
  return opened(descriptor, path);
}

OpenedFile create_hidden(const fs::path& folder, const std::string& prefix, fs::path& path) {
  for (int attempt = 0; attempt < kNames; ++attempt) {
    path = folder / (prefix + random_letters());
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | kFlags, 0666);
    if (descriptor >= 0) return opened(descriptor, path);
    ADA_CHECK(errno == EEXIST, "[file] {}: cannot be created: {}", path.string(), errno_text(errno));
  }
  ADA_THROW("[file] {}: {} names like it are taken", path.string(), kNames);
}

bool is_hidden_name(std::string_view name, std::string_view prefix) {
  return name.starts_with(prefix) && name.size() == prefix.size() + kRandom &&
         name.find_first_not_of(kLetters, prefix.size()) == std::string_view::npos;
}

std::string hidden_prefix(const fs::path& target) {
  std::string name = target.filename().string();
  if (name.size() + kAdded > kLongestName) {
    Sha256 hash;
    hash.update(name);
    size_t end = kLongestName - kAdded - kHash - 1;
    while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) --end;  // not within a letter
    name = name.substr(0, end) + "~" + hash.hex().substr(0, kHash);
  }
  return "." + name + ".writing-";
}

void check_name_length(const fs::path& path) {
  const size_t length = path.filename().string().size();
  ADA_CHECK(length <= kLongestName, "[file] {}: the name has {} bytes, expected {} at most", path.string(), length,
            kLongestName);
}

std::string read_text(const fs::path& path, uint64_t most) {
  const OpenedFile file = open_to_read(path);
  const auto refuse = [&] {
    ADA_THROW("[file] {}: has more than {} MiB, which is more than such a file can need", path.string(), most >> 20);
  };
  if (file.size > most) refuse();
  std::string text;
  text.resize(static_cast<size_t>(file.size) + 1);  // the byte more tells that it has ended
  for (size_t read = 0;;) {
    if (read > most) refuse();  // it has grown
    if (read == text.size()) text.resize(2 * text.size());
    const ssize_t got = ::read(file.handle.get(), text.data() + read, text.size() - read);
    if (got < 0 && errno == EINTR) continue;
    ADA_CHECK(got >= 0, "[file] {}: cannot be read: {}", path.string(), errno_text(errno));
    if (got == 0) {
      text.resize(read);
      return text;
    }
    read += static_cast<size_t>(got);
  }
}

}  // namespace adasample
