// SPDX-License-Identifier: Apache-2.0
// Files for fuzz targets whose code opens files itself: one folder for the whole run, in memory where the machine
// allows it, removed at the end.
#pragma once

#include <stdlib.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "adasample/base/files/file_io.h"

namespace adasample::testing {

class FuzzFolder {
 public:
  explicit FuzzFolder(const std::string& name) {
    const std::filesystem::path memory = "/dev/shm";
    std::string pattern =
        (std::filesystem::exists(memory) ? memory : std::filesystem::temp_directory_path()) / (name + "-XXXXXX");
    if (::mkdtemp(pattern.data()) == nullptr) std::abort();
    path_ = pattern;
  }
  ~FuzzFolder() { remove_tree(path_); }
  FuzzFolder(const FuzzFolder&) = delete;
  FuzzFolder& operator=(const FuzzFolder&) = delete;

  std::filesystem::path put(const char* name, const uint8_t* data, size_t size) const {
    const std::filesystem::path path = path_ / name;
    std::FILE* file = std::fopen(path.c_str(), "wb");
    if (file == nullptr || std::fwrite(data, 1, size, file) != size || std::fclose(file) != 0) std::abort();
    return path;
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace adasample::testing
