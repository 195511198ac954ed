// SPDX-License-Identifier: Apache-2.0
// The keypoints of COLMAP's SQLite database: scale and orientation, which its models leave out.
#pragma once

#include <filesystem>

#include "adasample/data/colmap/colmap_tracks.h"

namespace adasample {

bool have_sqlite();

// Opens the database read-only; the file is not changed, and nothing is left beside it. The result reads an image's
// keypoints when asked. Throws Error, now or then, that names the file and what is wrong with it; built without SQLite,
// that it was.
ColmapKeypoints open_colmap_keypoints(const std::filesystem::path& path);

}  // namespace adasample
