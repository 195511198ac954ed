// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "adasample/base/error.h"
#include "adasample/integrate/hloc/hloc_h5.h"

// Not in the preset `fuzz`: libhdf5 1.10.8 itself crashes on some damaged files, within minutes. It also leaks a little
// and asks for absurd amounts of memory, which it does not get.
extern "C" const char* __asan_default_options() { return "detect_leaks=0:allocator_may_return_null=1"; }

// Whatever the bytes: an Error, or keypoints that a patch can be cut at.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace adasample;
  try {
    for (const Keypoint& k : open_hloc_keypoints({data, size}, "fuzz.h5")("a").keypoints) {
      if (!std::isfinite(k.x + k.y + k.angle) || !(k.sigma >= 0)) __builtin_trap();
    }
  } catch (const Error& error) {
    if (error.kind() == Error::Kind::kBug) __builtin_trap();
  }
  return 0;
}
