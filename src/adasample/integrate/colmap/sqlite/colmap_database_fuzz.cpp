// SPDX-License-Identifier: Apache-2.0
// A file that says it is COLMAP's database, read by SQLite: an Error, or keypoints that a patch can be cut at.
#include <cmath>

#include "adasample/base/error.h"
#include "adasample/integrate/colmap/colmap_database.h"
#include "tests/support/fuzz_folder.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace adasample;
  static const testing::FuzzFolder folder("colmap_database_fuzz");
  const std::filesystem::path path = folder.put("a.db", data, size);
  try {
    for (const Keypoint& k : open_colmap_keypoints(path)("a.jpg")) {
      if (!std::isfinite(k.x + k.y + k.angle) || !(k.sigma >= 0)) __builtin_trap();
    }
  } catch (const Error& error) {
    if (error.kind() == Error::Kind::kBug) __builtin_trap();
  }
  return 0;
}
