// SPDX-License-Identifier: Apache-2.0
#include "adasample/model/default_weights.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <vector>

#include "adasample/base/error.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;

constexpr int kLevels = 5;  // bin, libexec/adasample, lib/python3/dist-packages/adasample, up to the root of the tree

// The shared library that this code is part of, or the program.
std::vector<fs::path> binaries() {
  std::vector<fs::path> found;
  std::error_code ignored;  // a path that cannot be resolved is not looked at
  Dl_info info;
  // Of a program this is argv[0], which need not say where it lies: only a whole path is believed.
  if (dladdr(reinterpret_cast<const void*>(&default_weights_file), &info) != 0 && info.dli_fname != nullptr &&
      fs::path(info.dli_fname).is_absolute()) {
    const fs::path library = fs::canonical(info.dli_fname, ignored);
    if (!library.empty()) found.push_back(library);
  }
  const fs::path program = fs::canonical("/proc/self/exe", ignored);
  if (!program.empty() && (found.empty() || found[0] != program)) found.push_back(program);
  return found;
}

fs::path shipped_file(const char* name, const char* remedy) {
  std::string places;
  for (const fs::path& binary : binaries()) {
    fs::path folder = binary.parent_path();
    for (int level = 0; level < kLevels && folder.has_relative_path(); ++level, folder = folder.parent_path()) {
      const fs::path file = folder / "share" / "adasample" / name;
      if (fs::is_regular_file(file)) return file;
      places += fmt::format("{}{}", places.empty() ? "" : ", ", file.parent_path().string());
    }
  }
  ADA_THROW("[model] the weights {} are in none of {} - {}", name, places, remedy);
}

}  // namespace

fs::path default_weights_file() {
  if (const char* named = std::getenv("ADASAMPLE_WEIGHTS"); named != nullptr && *named != '\0') {
    ADA_CHECK(fs::is_regular_file(named), "[model] ADASAMPLE_WEIGHTS={}: no such file", named);
    return named;
  }
  return shipped_file(kDefaultWeights, "name them by ADASAMPLE_WEIGHTS=FILE");
}

fs::path free_weights_file() { return shipped_file(kFreeWeights, "name the file itself"); }

std::vector<std::string> shipped_weights() { return {"default", "free"}; }

std::string weights_file(const std::string& model) {
  if (model == "default") return default_weights_file().string();
  if (model == "free") return free_weights_file().string();
  ADA_CHECK(fs::exists(model), "[model] {}: no such weights file or run folder, and no name of shipped weights ({})",
            model, fmt::join(shipped_weights(), ", "));
  if (!fs::is_directory(model)) return model;
  const fs::path inside = fs::path(model) / "model.safetensors";
  ADA_CHECK(fs::exists(inside), "[model] {}: this folder holds no model.safetensors - is it a run folder?", model);
  return inside.string();
}

}  // namespace adasample
