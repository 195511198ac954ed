// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "adasample/base/error.h"
#include "adasample/data/patch_store.h"
#include "tests/support/fuzz_folder.h"

// Input: four 16-bit lengths, then patches.npy, classes.npy, pictures.npy and strengths.npy (which are absent when they
// would be empty) and, as the rest, meta.json.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const adasample::testing::FuzzFolder folder("patch_store_fuzz");
  constexpr size_t kHead = 8;
  if (size < kHead) return 0;
  const uint8_t* part = data + kHead;
  size_t left = size - kHead;
  const auto next = [&](size_t at) { return std::min<size_t>(data[at] | data[at + 1] << 8, left); };
  const auto put_part = [&](const char* name, size_t bytes) {
    folder.put(name, part, bytes);
    part += bytes;
    left -= bytes;
  };
  put_part("patches.npy", next(0));
  put_part("classes.npy", next(2));
  std::filesystem::remove(folder.path() / "pictures.npy");
  if (const size_t bytes = next(4); bytes > 0) put_part("pictures.npy", bytes);
  std::filesystem::remove(folder.path() / "strengths.npy");
  if (const size_t bytes = next(6); bytes > 0) put_part("strengths.npy", bytes);
  put_part("meta.json", left);
  try {
    const auto store = adasample::PatchStore::open(folder.path());
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
