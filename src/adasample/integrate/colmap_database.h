// SPDX-License-Identifier: Apache-2.0
// The keypoints of COLMAP's SQLite database: scale and orientation, which its models leave out. Built without SQLite,
// opening one says so.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "adasample/data/colmap_tracks.h"

namespace adasample {

bool have_sqlite();

// Opens the database read-only; the file is not changed, and nothing is left beside it. The result reads an image's
// keypoints when asked. Throws Error, now or then, that names the file and what is wrong with it.
ColmapKeypoints open_colmap_keypoints(const std::filesystem::path& path);

// Rows of table `keypoints`, (rows, columns), as keypoints. The columns are x y, x y scale orientation, or
// x y a11 a12 a21 a22, the affine map A of the keypoint's frame to the image, whose scale is the mean length of A's
// columns and whose orientation is that of the first, as COLMAP has it. Half a pixel is taken off x and y: COLMAP's
// first pixel centre is (1/2, 1/2), ours (0, 0). Scale is the sigma of the Gaussian and orientation turns from +x to
// +y, as ours. A = 1 in every row is what COLMAP writes when it knows the places only: sigma 0. `where` is for
// messages.
std::vector<Keypoint> colmap_keypoints(std::span<const float> rows, int64_t columns, const std::string& where);

}  // namespace adasample
