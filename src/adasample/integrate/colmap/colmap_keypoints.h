// SPDX-License-Identifier: Apache-2.0
// COLMAP's keypoints as ours.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "adasample/features/keypoint.h"

namespace adasample {

// Rows of table `keypoints`, (rows, columns), as keypoints. The columns are x y, x y scale orientation, or
// x y a11 a12 a21 a22, the affine map A of the keypoint's frame to the image, whose scale is the mean length of A's
// columns and whose orientation is that of the first, as COLMAP has it. Half a pixel is taken off x and y: COLMAP's
// first pixel centre is (1/2, 1/2), ours (0, 0). Scale is the sigma of the Gaussian and orientation turns from +x to
// +y, as ours. A = 1 in every row is what COLMAP writes when it knows the places only: sigma 0. `where` is for
// messages.
std::vector<Keypoint> colmap_keypoints(std::span<const float> rows, int64_t columns, const std::string& where);
// The same from the bytes of column `data`, which must be rows * columns floats.
std::vector<Keypoint> colmap_keypoints(int64_t rows, int64_t columns, std::span<const uint8_t> data,
                                       const std::string& where);

// The other way round, as COLMAP writes its own: six columns, A = sigma times the rotation by the angle.
std::vector<float> colmap_keypoint_rows(std::span<const Keypoint> keypoints);

}  // namespace adasample
