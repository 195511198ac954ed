// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstring>

#include "adasample/base/error.h"
#include "adasample/integrate/colmap/colmap_keypoints.h"

// Input: the number of columns, then a blob of table `keypoints`, cut to whole rows. Whatever the numbers: an Error, or
// keypoints that a patch can be cut at.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace adasample;
  if (size < 1) return 0;
  const int64_t columns = 1 + data[0] % 8;
  const size_t row_bytes = static_cast<size_t>(columns) * sizeof(float), rows = (size - 1) / row_bytes;
  std::vector<float> values(rows * static_cast<size_t>(columns));
  if (!values.empty()) std::memcpy(values.data(), data + 1, rows * row_bytes);
  try {
    const auto keypoints = colmap_keypoints(values, columns, "fuzz.db");
    if (keypoints.size() != rows) __builtin_trap();
    for (const Keypoint& k : keypoints) {
      if (!std::isfinite(k.x + k.y + k.angle) || !(k.sigma >= 0)) __builtin_trap();
    }
  } catch (const Error& error) {
    if (error.kind() == Error::Kind::kBug) __builtin_trap();
  }
  return 0;
}
