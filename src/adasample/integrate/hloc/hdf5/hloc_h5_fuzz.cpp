// SPDX-License-Identifier: Apache-2.0
// hloc's files as the program reads them, by a process of its own: libhdf5 1.10.8 crashes on some damaged ones, and
// whoever asked must not notice. Slow, a hundred a second, and not led by what is covered; but it is what users meet.
#include <cmath>

#include "adasample/base/error.h"
#include "adasample/integrate/hloc/hdf5/hloc_worker.h"
#include "tests/support/fuzz_folder.h"

// Whatever the bytes: an Error, or keypoints that a patch can be cut at.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace adasample;
  static const testing::FuzzFolder folder("hloc_h5_fuzz");
  const std::filesystem::path path = folder.put("a.h5", data, size);
  try {
    for (const Keypoint& k : open_hloc_keypoints(path, {.seconds = 5})("a").keypoints) {
      if (!std::isfinite(k.x + k.y + k.angle) || !(k.sigma >= 0)) __builtin_trap();
    }
  } catch (const Error& error) {
    if (error.kind() == Error::Kind::kBug) __builtin_trap();
  }
  return 0;
}
