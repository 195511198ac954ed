// SPDX-License-Identifier: Apache-2.0
// Writing that a crash cannot leave half done: a file is written beside its name, fsynced and renamed; a folder is
// filled beside its name, everything in it fsynced, then renamed; after the rename the folder above is fsynced too.
// What stands under the final name is always complete, also when a disk fills up, an fsync fails or the machine loses
// power.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "adasample/base/files/file_writer.h"
#include "adasample/base/files/open_file.h"
#include "adasample/base/interrupt.h"

namespace adasample {

// A file under construction: writer() writes a hidden file beside `path` (open_file.h: hidden_prefix); commit() makes it
// appear under its name, in place of what stood there; without commit() it is removed. Removes what killed processes
// left of the same file; throws Error while a live one writes it, which is known by its flock.
class StagedFile {
 public:
  explicit StagedFile(std::filesystem::path path);

  FileWriter& writer() { return writer_; }
  const std::filesystem::path& work() const { return claim_.path; }  // for a library that writes in place of writer()
  void commit();

 private:
  // The hidden file, ours alone; removed at the end unless `path` was emptied.
  struct Claim {
    explicit Claim(const std::filesystem::path& target);
    ~Claim();
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;

    std::filesystem::path path;
    FileHandle lock;
    std::unique_ptr<AtForcedEnd> forced_end;
  };

  std::filesystem::path path_;
  Claim claim_;
  FileWriter writer_;
};

// Replaces `path` by `content`, all or nothing.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

// Removes a folder and what is in it; what cannot be removed stays. Ours because libtorch.so of PyTorch 2 exports a
// broken std::filesystem::remove_all, which a program that links it would call.
void remove_tree(const std::filesystem::path& path);

// Throws Error when `path` exists: no command of ours overwrites a folder.
void refuse_existing(const std::filesystem::path& path);

// A folder under construction: `work()` is the hidden folder beside `final_path`; commit() makes it appear under its
// name; without commit() it is removed. Throws Error when the final path already exists. Removes what killed processes
// left of the same folder; a live one is known by its flock on its hidden folder.
class StagedFolder {
 public:
  explicit StagedFolder(std::filesystem::path final_path);
  ~StagedFolder();
  StagedFolder(const StagedFolder&) = delete;
  StagedFolder& operator=(const StagedFolder&) = delete;

  const std::filesystem::path& work() const { return work_; }
  void commit();

 private:
  std::filesystem::path final_path_, work_;
  int lock_ = -1;  // on work_: alive
  bool committed_ = false;
  std::unique_ptr<AtForcedEnd> forced_end_;
};

}  // namespace adasample
