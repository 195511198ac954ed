// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "adasample/base/error.h"
#include "adasample/integrate/colmap/colmap_features.h"

// Whatever the bytes: an Error, or keypoints that a patch can be cut at.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace adasample;
  try {
    for (const Keypoint& k : parse_colmap_features({reinterpret_cast<const char*>(data), size}, "fuzz.txt")) {
      if (!std::isfinite(k.x + k.y + k.angle) || !(k.sigma > 0)) __builtin_trap();
    }
  } catch (const Error& error) {
    if (error.kind() == Error::Kind::kBug) __builtin_trap();
  }
  return 0;
}
