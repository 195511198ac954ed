// SPDX-License-Identifier: Apache-2.0
#include "adasample/integrate/colmap/colmap_database.h"

#include "adasample/base/error.h"

namespace adasample {

bool have_sqlite() { return false; }

ColmapKeypoints open_colmap_keypoints(const std::filesystem::path& path) {
  ADA_THROW(
      "[colmap] {}: reading it needs SQLite, and this program was built without it - configure with "
      "-DADASAMPLE_SQLITE=ON",
      path.string());
}

}  // namespace adasample
