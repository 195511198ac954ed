// SPDX-License-Identifier: Apache-2.0
// JPEG through libjpeg: photographs read as grey, and what JPEG does to a patch.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "adasample/image/image.h"

namespace adasample {

// Pixels as they are stored, whatever EXIF says of their orientation. Colour becomes luma, which most files hold as it
// is; CMYK as Adobe writes it. Throws Error, naming `name`, on anything but a whole picture of at most 2^28 pixels; its
// dimensions are checked before a pixel is decoded. What libjpeg only warns of, and bytes behind the picture, pass.
GrayImage parse_jpeg(std::span<const uint8_t> file, const std::string& name);

// Written at a quality and read back. pixels: (size, size), replaced. `quality` 1 (worst) to 100, as libjpeg counts.
// The corner of the 8 x 8 grid of blocks lies at (-shift_x, -shift_y), shifts 0 to 7: where a patch sits in its
// photograph's grid is chance.
void jpeg_round_trip(std::span<uint8_t> pixels, int size, int quality, int shift_x = 0, int shift_y = 0);
// The same for a picture of at most 65,500 pixels along a side.
void jpeg_round_trip(ByteImage& image, int quality);

}  // namespace adasample
