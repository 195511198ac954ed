// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "adasample/base/error.h"
#include "adasample/image/files/images.h"

namespace adasample {
namespace fs = std::filesystem;

namespace {

bool hidden(const fs::path& path) { return path.filename().string().starts_with("."); }

void collect(const fs::path& folder, bool recursive, std::vector<fs::path>& found) {
  std::error_code error;
  fs::directory_iterator entries(folder, error);
  ADA_CHECK(!error, "[images] {}: cannot be listed: {}", folder.string(), error.message());
  for (const fs::directory_entry& entry : entries) {
    if (hidden(entry.path())) continue;
    if (entry.is_directory(error)) {
      // A linked folder could lead back here.
      if (recursive && !entry.is_symlink(error)) collect(entry.path(), recursive, found);
    } else if (has_picture_extension(entry.path())) {
      found.push_back(entry.path());
    }
  }
}

}  // namespace

std::vector<fs::path> list_images(const fs::path& folder, bool recursive) {
  std::vector<fs::path> found;
  collect(folder, recursive, found);
  ADA_CHECK(!found.empty(), "[images] {}: no picture in it - looked for *{}", folder.string(),
            fmt::join(kPictureExtensions, ", *"));
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::string> picture_names(const fs::path& folder) {
  std::vector<std::string> names;
  for (const fs::path& path : list_images(folder)) names.push_back(path.lexically_relative(folder).string());
  return names;
}

}  // namespace adasample
