// SPDX-License-Identifier: Apache-2.0
// Pictures that OpenCV decodes for us, looked at before it gets them. It knows some thirty formats, several by
// libraries that open further files or were not made for strangers' bytes; and it takes memory for whatever size a file
// claims. So only these are handed over, known by their first bytes: TIFF, WebP, PPM and PBM, and the bitmaps that
// bmp.h does not read.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace adasample {

// The most pixels that a byte of such a file may stand for: an empty page as a fax has 14,000.
inline constexpr uint64_t kMostOtherGain = uint64_t{1} << 14;

// By the first 16 bytes.
bool is_other_format(std::span<const uint8_t> file);

// Throws Error, naming the file, unless it is one of them and says that it has pixels, not more than a picture may
// have (picture_size.h) and not more than kMostOtherGain for each of its bytes.
void check_other_format(std::span<const uint8_t> file, const std::string& name);

}  // namespace adasample
