// SPDX-License-Identifier: Apache-2.0
// OpenCV's cv::resize of square uint8 patches with INTER_LINEAR, bit for bit: the field's readers use it, and a
// descriptor scored on other pixels gets another figure. Halving is the 2 x 2 mean (a + b + c + d + 2) >> 2; any other
// ratio is bilinear between the two nearest pixels in 11-bit fixed point, without antialiasing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace adasample {

// in: (from, from), out: (to, to).
void resize_patch(std::span<const uint8_t> in, int from, std::span<uint8_t> out, int to);
std::vector<uint8_t> resize_patch(std::span<const uint8_t> in, int from, int to);

}  // namespace adasample
