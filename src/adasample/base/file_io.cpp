// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/file_io.h"

#include <fcntl.h>
#include <ftw.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "adasample/base/error.h"

namespace adasample {
namespace fs = std::filesystem;

namespace {

void fsync_folder(const fs::path& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ADA_CHECK(fd >= 0, "[file] {}: cannot be opened: {}", folder.string(), errno_text(errno));
  const int result = ::fsync(fd);
  const int fsync_errno = errno;
  ::close(fd);
  ADA_CHECK(result == 0, "[file] {}: fsync failed: {}", folder.string(), errno_text(fsync_errno));
}

fs::path parent_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

void rename_durably(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  ADA_CHECK(!error, "[file] {}: cannot be renamed to {}: {}", from.string(), to.string(), error.message());
  fsync_folder(parent_of(to));
}

}  // namespace

FileWriter::FileWriter(const fs::path& path, bool append) : path_(path) {
  file_ = std::fopen(path.c_str(), append ? "abe" : "wbe");
  ADA_CHECK(file_ != nullptr, "[file] {}: cannot be created: {}", path.string(), errno_text(errno));
}

FileWriter::~FileWriter() {
  if (file_ != nullptr) std::fclose(file_);
}

void FileWriter::write(std::span<const uint8_t> bytes) {
  if (bytes.empty()) return;
  ADA_CHECK(std::fwrite(bytes.data(), 1, bytes.size(), file_) == bytes.size(), "[file] {}: cannot be written: {}",
            path_.string(), errno_text(errno));
  size_ += bytes.size();
}

void FileWriter::write(std::string_view text) {
  write(std::span(reinterpret_cast<const uint8_t*>(text.data()), text.size()));
}

void FileWriter::write_at(uint64_t offset, std::string_view text) {
  ADA_ASSERT(offset + text.size() <= size_);
  const bool ok = std::fseek(file_, static_cast<long>(offset), SEEK_SET) == 0 &&
                  std::fwrite(text.data(), 1, text.size(), file_) == text.size() && std::fseek(file_, 0, SEEK_END) == 0;
  ADA_CHECK(ok, "[file] {}: cannot be written: {}", path_.string(), errno_text(errno));
}

void FileWriter::flush() {
  ADA_CHECK(std::fflush(file_) == 0, "[file] {}: cannot be written: {}", path_.string(), errno_text(errno));
}

void FileWriter::close() {
  flush();
  ADA_CHECK(::fsync(::fileno(file_)) == 0, "[file] {}: fsync failed: {}", path_.string(), errno_text(errno));
  std::FILE* file = file_;
  file_ = nullptr;
  ADA_CHECK(std::fclose(file) == 0, "[file] {}: cannot be closed: {}", path_.string(), errno_text(errno));
}

std::string read_text(const fs::path& path) {
  std::error_code ignored;  // opening says what is wrong
  ADA_CHECK(!fs::is_directory(path, ignored), "[file] {}: cannot be opened: is a folder", path.string());
  std::FILE* file = std::fopen(path.c_str(), "rbe");
  ADA_CHECK(file != nullptr, "[file] {}: cannot be opened: {}", path.string(), errno_text(errno));
  std::string text;
  char buffer[1 << 16];
  for (size_t got; (got = std::fread(buffer, 1, sizeof buffer, file)) > 0;) text.append(buffer, got);
  const bool failed = std::ferror(file) != 0;
  std::fclose(file);
  ADA_CHECK(!failed, "[file] {}: cannot be read", path.string());
  return text;
}

void write_file_atomically(const fs::path& path, std::string_view content) {
  const fs::path beside = parent_of(path) / ("." + path.filename().string() + ".writing");
  try {
    FileWriter writer(beside);
    writer.write(content);
    writer.close();
    rename_durably(beside, path);
  } catch (...) {
    std::error_code ignored;  // the first error is the one to report
    fs::remove(beside, ignored);
    throw;
  }
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
  refuse_existing(final_path_);
  work_ = parent_of(final_path_) / ("." + final_path_.filename().string() + ".writing-" + std::to_string(::getpid()));
  std::error_code error;
  remove_tree(work_);  // what a killed process of the same number left; in a container numbers repeat
  fs::create_directories(work_, error);
  ADA_CHECK(!error, "[file] {}: cannot be created: {}", work_.string(), error.message());
}

StagedFolder::~StagedFolder() {
  if (!committed_) remove_tree(work_);
}

void StagedFolder::commit() {
  fsync_folder(work_);
  refuse_existing(final_path_);
  rename_durably(work_, final_path_);
  committed_ = true;
}

}  // namespace adasample
