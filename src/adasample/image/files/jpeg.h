// SPDX-License-Identifier: Apache-2.0
// What JPEG does to a patch: written at a quality and read back, by libjpeg.
#pragma once

#include <cstdint>
#include <span>

namespace adasample {

// pixels: (size, size), replaced. `quality` 1 (worst) to 100, as libjpeg counts. The corner of the 8 x 8 grid of blocks
// lies at (-shift_x, -shift_y), shifts 0 to 7: where a patch sits in its photograph's grid is chance.
void jpeg_round_trip(std::span<uint8_t> pixels, int size, int quality, int shift_x = 0, int shift_y = 0);

}  // namespace adasample
