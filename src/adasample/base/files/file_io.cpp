// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/files/file_io.h"

#include <fcntl.h>
#include <ftw.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "adasample/base/error.h"

namespace adasample {
namespace fs = std::filesystem;

namespace {

constexpr int kWorkNames = 100, kClaims = 100;

fs::path parent_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

// Replaces what stands under `to`.
void rename_durably(const fs::path& from, const fs::path& to) {
  ADA_CHECK(::rename(from.c_str(), to.c_str()) == 0, "[file] {}: cannot be renamed to {}: {}", from.string(),
            to.string(), errno_text(errno));
  sync_path(parent_of(to));
}

// Throws where something stands under `to`, whoever put it there and however late.
void rename_to_new(const fs::path& from, const fs::path& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return sync_path(parent_of(to));
  const int error = errno;
  if (error == EEXIST) refuse_existing(to);
  // Not every file system can (NFS): between this look and the rename somebody may be quicker, with a file or an empty
  // folder.
  if (error == EINVAL || error == ENOSYS) {
    refuse_existing(to);
    return rename_durably(from, to);
  }
  ADA_THROW("[file] {}: cannot be renamed to {}: {}", from.string(), to.string(), errno_text(error));
}

// Every file in the folder, then the folder itself, deepest first. What FileWriter closed is synced already and costs
// little more; what others wrote is not.
void sync_tree(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_symlink()) continue;
    if (entry.is_directory()) sync_tree(entry.path());
    if (entry.is_regular_file()) sync_path(entry.path());
  }
  sync_path(folder);
}

// False when the name is taken.
bool make_folder(const fs::path& folder) {
  if (::mkdir(folder.c_str(), 0777) == 0) return true;
  ADA_CHECK(errno == EEXIST, "[file] {}: cannot be created: {}", folder.string(), errno_text(errno));
  return false;
}

// Makes the folder and those above it as far as they are missing, each durably.
void make_folders(const fs::path& folder) {
  std::error_code ignored;  // making it says what is wrong
  if (fs::exists(folder, ignored)) return;
  make_folders(parent_of(folder));
  make_folder(folder);
  sync_path(parent_of(folder));
}

// Opens a folder and locks it until the descriptor is closed or the process is gone, however it ends. -1 when that
// cannot be, or at once when somebody else has it and `wait` is false.
int lock_folder(const fs::path& folder, bool wait) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0 || ::flock(fd, LOCK_EX | (wait ? 0 : LOCK_NB)) == 0) return fd;
  ::close(fd);
  return -1;
}

// Whether `path` still names the file that `fd` has open.
bool is_open_as(int fd, const fs::path& path) {
  struct stat held = {}, named = {};
  return ::fstat(fd, &held) == 0 && ::lstat(path.c_str(), &named) == 0 && held.st_dev == named.st_dev &&
         held.st_ino == named.st_ino;
}

// Removes the folders `parent`/`prefix`* whose process is gone. Where folders cannot be locked (NFS) they stay.
void remove_orphans(const fs::path& parent, const std::string& prefix) {
  std::error_code ignored;  // nothing depends on it
  for (const auto& entry : fs::directory_iterator(parent, ignored)) {
    if (!entry.path().filename().string().starts_with(prefix)) continue;
    const int lock = lock_folder(entry.path(), /*wait=*/false);
    if (lock < 0) continue;
    remove_tree(entry.path());
    ::close(lock);
  }
}

// The hidden files of `target` that nobody has locked are removed; throws Error for one that somebody has. What is no
// regular file is not ours, and stays.
void remove_orphans_of(const fs::path& target) {
  const std::string prefix = hidden_prefix(target);
  std::error_code ignored;  // what is left over disturbs nobody
  for (const auto& entry : fs::directory_iterator(parent_of(target), ignored)) {
    if (!is_hidden_name(entry.path().filename().string(), prefix)) continue;
    const FileHandle file(::open(entry.path().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat info {};
    if (!file.is_open() || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
    const bool taken = ::flock(file.get(), LOCK_EX | LOCK_NB) != 0;
    ADA_CHECK(!taken || errno != EWOULDBLOCK,
              "[file] {}: another process is writing it - wait for it, or choose another name", target.string());
    // Where files cannot be locked (NFS) two writers are not told apart, and nothing is removed.
    if (!taken && is_open_as(file.get(), entry.path())) ::unlink(entry.path().c_str());
  }
}

// Both are one open file: they share its lock.
FileHandle duplicate(const FileHandle& file) {
  const int copy = ::fcntl(file.get(), F_DUPFD_CLOEXEC, 0);
  ADA_CHECK(copy >= 0, "[file] a file cannot be opened a second time: {}", errno_text(errno));
  return FileHandle(copy);
}

}  // namespace

StagedFile::Claim::Claim(const fs::path& target) {
  check_name_length(target);
  remove_orphans_of(target);
  for (int attempt = 0; attempt < kClaims; ++attempt) {
    lock = create_hidden(parent_of(target), hidden_prefix(target), path).handle;
    while (::flock(lock.get(), LOCK_EX) != 0 && errno == EINTR) {
    }
    if (is_open_as(lock.get(), path)) {  // else somebody took it for an orphan before it was locked
      forced_end = std::make_unique<AtForcedEnd>([hidden = path] { ::unlink(hidden.c_str()); });
      return;
    }
  }
  ADA_THROW("[file] {}: was taken away {} times while it was being created", path.string(), kClaims);
}

StagedFile::Claim::~Claim() {
  if (!path.empty()) ::unlink(path.c_str());
}

StagedFile::StagedFile(fs::path path) : path_(std::move(path)), claim_(path_), writer_(duplicate(claim_.lock), claim_.path) {}

void StagedFile::commit() {
  writer_.close();
  rename_durably(claim_.path, path_);
  claim_.path.clear();
}

void write_file_atomically(const fs::path& path, std::string_view content) {
  StagedFile file(path);
  file.writer().write(content);
  file.commit();
}

void remove_tree(const fs::path& path) {
  const auto remove_one = [](const char* name, const struct stat*, int, struct FTW*) {
    ::remove(name);
    return 0;
  };
  ::nftw(path.c_str(), remove_one, /*open folders at most=*/16, FTW_DEPTH | FTW_PHYS);
}

void refuse_existing(const fs::path& path) {
  std::error_code error;
  ADA_CHECK(!fs::exists(fs::symlink_status(path, error)),
            "[file] {}: already exists; nothing was overwritten - choose another name or remove it", path.string());
}

StagedFolder::StagedFolder(fs::path final_path) : final_path_(std::move(final_path)) {
  if (final_path_.filename().empty()) final_path_ = final_path_.parent_path();  // "out/" means "out"
  check_name_length(final_path_);
  refuse_existing(final_path_);
  make_folders(parent_of(final_path_));
  const std::string prefix = hidden_prefix(final_path_);
  remove_orphans(parent_of(final_path_), prefix);
  // A name may be taken: in containers that share a disk numbers repeat, and not every orphan can be removed.
  for (int attempt = 0; attempt < kWorkNames; ++attempt) {
    const std::string suffix = attempt == 0 ? "" : fmt::format("-{}", attempt);
    work_ = parent_of(final_path_) / fmt::format("{}{}{}", prefix, ::getpid(), suffix);
    if (!make_folder(work_)) continue;
    lock_ = lock_folder(work_, /*wait=*/true);
    if (fs::exists(work_)) {  // else another writer took it for an orphan before it was locked
      forced_end_ = std::make_unique<AtForcedEnd>([work = work_] { remove_tree(work); });
      return;
    }
    if (lock_ >= 0) ::close(std::exchange(lock_, -1));
  }
  ADA_THROW("[file] {}: already exists, and so do {} like it - remove them", work_.string(), kWorkNames - 1);
}

StagedFolder::~StagedFolder() {
  if (!committed_) remove_tree(work_);
  if (lock_ >= 0) ::close(lock_);
}

void StagedFolder::commit() {
  sync_tree(work_);
  rename_to_new(work_, final_path_);
  committed_ = true;
}

}  // namespace adasample
