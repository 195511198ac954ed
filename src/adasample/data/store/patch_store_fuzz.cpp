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

// Input: two 16-bit lengths, then patches.npy, classes.npy and, as the rest, meta.json.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 4) return 0;
  const size_t body = size - 4;
  const size_t first = std::min<size_t>(data[0] | data[1] << 8, body);
  const size_t second = std::min<size_t>(data[2] | data[3] << 8, body - first);
  put("patches.npy", data + 4, first);
  put("classes.npy", data + 4 + first, second);
  put("meta.json", data + 4 + first + second, body - first - second);
  try {
    const auto store = adasample::PatchStore::open(folder());
    uint64_t sum = 0;
    for (int64_t c = 0; c < store.class_count(); ++c) {
      for (int64_t i = 0; i < store.class_size(c); ++i) {
        for (const uint8_t pixel : store.patch(store.class_begin(c) + i)) sum += pixel;
      }
    }
    if (sum > 255 * size || store.fingerprint().size() > size) __builtin_trap();
  } catch (const adasample::Error& error) {
    if (error.kind() == adasample::Error::Kind::kBug) __builtin_trap();
  }
  return 0;
}
