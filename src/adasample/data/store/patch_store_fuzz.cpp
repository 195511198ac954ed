// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/data/patch_store.h"

namespace {

namespace fs = std::filesystem;

// One folder for the whole run, in memory where the machine allows it.
const fs::path& folder() {
  static const fs::path path = [] {
    const fs::path root = fs::exists("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path();
    std::string pattern = root / "patch_store_fuzz-XXXXXX";
    fs::path made = ::mkdtemp(pattern.data());
    static const struct Cleaner {
      fs::path path;
      ~Cleaner() { adasample::remove_tree(path); }
    } cleaner{made};
    return made;
  }();
  return path;
}

void put(const char* name, const uint8_t* data, size_t size) {
  std::FILE* file = std::fopen((folder() / name).c_str(), "wb");
  if (file == nullptr || std::fwrite(data, 1, size, file) != size || std::fclose(file) != 0) std::abort();
}

}  // namespace

// Input: four 16-bit lengths, then patches.npy, classes.npy, pictures.npy and strengths.npy (which are absent when they
// would be empty) and, as the rest, meta.json.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kHead = 8;
  if (size < kHead) return 0;
  const uint8_t* part = data + kHead;
  size_t left = size - kHead;
  const auto next = [&](size_t at) { return std::min<size_t>(data[at] | data[at + 1] << 8, left); };
  const auto put_part = [&](const char* name, size_t bytes) {
    put(name, part, bytes);
    part += bytes;
    left -= bytes;
  };
  put_part("patches.npy", next(0));
  put_part("classes.npy", next(2));
  fs::remove(folder() / "pictures.npy");
  if (const size_t bytes = next(4); bytes > 0) put_part("pictures.npy", bytes);
  fs::remove(folder() / "strengths.npy");
  if (const size_t bytes = next(6); bytes > 0) put_part("strengths.npy", bytes);
  put_part("meta.json", left);
  try {
    const auto store = adasample::PatchStore::open(folder());
    uint64_t sum = 0;
    for (int64_t c = 0; c < store.class_count(); ++c) {
      for (int64_t i = 0; i < store.class_size(c); ++i) {
        for (const uint8_t pixel : store.patch(store.class_begin(c) + i)) sum += pixel;
      }
    }
    for (int64_t i = 0; store.has_pictures() && i < store.patch_count(); ++i) {
      const auto picture = static_cast<size_t>(store.picture(i));
      if (store.picture_names().at(picture).size() + store.picture_scenes().at(picture).size() > size) __builtin_trap();
    }
    for (int64_t i = 0; store.has_strengths() && i < store.patch_count(); ++i) {
      if (!(store.strength(i) >= 0)) __builtin_trap();
    }
    if (sum > 255 * size || store.fingerprint().size() > size) __builtin_trap();
  } catch (const adasample::Error& error) {
    if (error.kind() == adasample::Error::Kind::kBug) __builtin_trap();
  }
  return 0;
}
