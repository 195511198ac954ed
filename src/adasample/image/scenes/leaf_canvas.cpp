// SPDX-License-Identifier: Apache-2.0
#include "adasample/image/scenes/leaf_canvas.h"

#include <numeric>

namespace adasample {

LeafCanvas::LeafCanvas(int width, int height)
    : image_(width, height),
      next_free_(static_cast<size_t>(width + 1) * static_cast<size_t>(height)),
      free_count_(int64_t{width} * height) {
  for (int y = 0; y < height; ++y) {
    const auto row = next_free_.begin() + static_cast<ptrdiff_t>(y) * (width + 1);
    std::iota(row, row + width + 1, 0);
  }
}

}  // namespace adasample
