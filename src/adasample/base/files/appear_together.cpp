// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/files/appear_together.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;

fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

fs::path without_slash(fs::path path) { return path.filename().empty() ? path.parent_path() : path; }

bool is_there(const fs::path& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0;
}

// What stays the same when a file gets another name; empty where there is none.
std::string identity(const fs::path& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) return "";
  return fmt::format("{} {}\n", info.st_dev, info.st_ino);
}

// Of a note of our own that nobody holds; empty for anything else.
std::string read_note(const fs::path& path) {
  const FileHandle file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info {};
  if (!file.is_open() || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode) || info.st_uid != ::geteuid() ||
      ::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    return "";
  }
  char text[64] = {};
  const ssize_t length = ::read(file.get(), text, sizeof text);
  return {text, length > 0 ? static_cast<size_t>(length) : 0};
}

}  // namespace

AppearTogether::AppearTogether(fs::path main, fs::path companion)
    : main_(without_slash(std::move(main))), companion_(without_slash(std::move(companion))) {
  for (const fs::path* path : {&main_, &companion_}) check_name_length(*path);
  std::error_code ignored;  // who makes the files says what is wrong with the folder
  for (const auto& entry : fs::directory_iterator(folder_of(main_), ignored)) {
    if (!is_hidden_name(entry.path().filename().string(), hidden_prefix(note()))) continue;
    const std::string text = read_note(entry.path());
    if (text.empty()) continue;
    if (!is_there(main_) && identity(companion_) == text) remove_tree(companion_);
    ::unlink(entry.path().c_str());
  }
}

void AppearTogether::commit(const fs::path& companion_work, const std::function<void()>& commit_companion,
                            const std::function<void()>& commit_main) const {
  const std::string which = identity(companion_work), before = identity(main_);
  const auto take_back = [this, which, before] {  // where the main one is not there, or is still somebody else's
    if (identity(main_) == before && identity(companion_) == which) remove_tree(companion_);
  };
  StagedFile written(note());  // never committed: it goes when this ends
  written.writer().write(which);
  written.writer().sync();
  sync_path(folder_of(main_));
  const AtForcedEnd forced_end(take_back);
  try {
    commit_companion();
    commit_main();
  } catch (...) {
    take_back();
    throw;
  }
}

// Never a name that anything is given, so it may be cut as those of hidden files are.
fs::path AppearTogether::note() const { return folder_of(main_) / (hidden_prefix(main_) + "pair"); }

}  // namespace adasample
