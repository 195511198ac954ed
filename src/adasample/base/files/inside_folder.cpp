// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/files/inside_folder.h"

#include <algorithm>

#include "adasample/base/error.h"
#include "adasample/base/text.h"

namespace adasample {
namespace fs = std::filesystem;

bool is_inner_name(const std::string& name) {
  const fs::path path(name);
  return !name.empty() && name.find('\0') == std::string::npos && path.is_relative() &&
         std::none_of(path.begin(), path.end(), [](const fs::path& part) { return part == ".."; });
}

fs::path path_inside(const fs::path& folder, const std::string& name, const std::string& module) {
  ADA_CHECK(is_inner_name(name), "[{}] {}: expected the name of a file in {}, not one that leads elsewhere", module,
            shown(name), folder.string());
  std::error_code error;  // what cannot be resolved cannot be opened either, and whoever tries says why
  const fs::path root = fs::weakly_canonical(folder, error), path = fs::weakly_canonical(folder / name, error);
  const auto [end, other] = std::mismatch(root.begin(), root.end(), path.begin(), path.end());
  ADA_CHECK(error || end == root.end(), "[{}] {}: is a link that leads out of {}", module, shown(name),
            folder.string());
  return folder / name;
}

}  // namespace adasample
