// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "adasample/base/error.h"
#include "adasample/image/homography.h"

// Whatever the bytes: an Error, or a finite matrix with an inverse that leads back to where a point came from.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace adasample;
  Homography target_from_ref;
  try {
    target_from_ref = parse_homography({reinterpret_cast<const char*>(data), size}, "fuzz");
  } catch (const Error& error) {
    if (error.kind() == Error::Kind::kBug) __builtin_trap();
    return 0;
  }
  for (const double entry : target_from_ref.entries()) {
    if (!(std::abs(entry) <= 1)) __builtin_trap();
  }
  if (!(std::abs(target_from_ref.regularity()) <= 1 + 1e-9)) __builtin_trap();
  // Rounding spoils the way back where the matrix is all but singular or a column all but vanishes.
  const auto& m = target_from_ref.entries();
  for (size_t column = 0; column < 3; ++column) {
    if (std::hypot(m[column], m[column + 3], m[column + 6]) < 1e-3) return 0;
  }
  if (std::abs(target_from_ref.regularity()) < 1e-3) return 0;
  const Point2 p = {0.25, -0.5};
  if (std::abs(target_from_ref.depth(p)) < 1e-3) return 0;
  const Point2 q = target_from_ref.inverse()(target_from_ref(p));
  if (!(std::abs(q.x - p.x) < 1e-3 && std::abs(q.y - p.y) < 1e-3)) __builtin_trap();
  return 0;
}
