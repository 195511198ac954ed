// SPDX-License-Identifier: Apache-2.0
// What integrate/colmap/sqlite/ does, where the program is built without SQLite.
#include "adasample/base/error.h"
#include "adasample/integrate/colmap/colmap_database.h"
#include "adasample/integrate/colmap/colmap_match_database.h"
#include "adasample/integrate/colmap/colmap_writer.h"

namespace adasample {

bool have_sqlite() { return false; }

ColmapKeypoints open_colmap_keypoints(const std::filesystem::path& path) {
  ADA_THROW(
      "[colmap] {}: reading it needs SQLite, and this program was built without it - configure with "
      "-DADASAMPLE_SQLITE=ON",
      path.string());
}

std::unique_ptr<ColmapWriter> open_colmap_writer(const std::filesystem::path& path,
                                                 std::chrono::milliseconds /*patience*/) {
  ADA_THROW(
      "[colmap] {}: writing it needs SQLite, and this program was built without it - configure with "
      "-DADASAMPLE_SQLITE=ON",
      path.string());
}

std::unique_ptr<ColmapMatchDatabase> open_colmap_match_database(const std::filesystem::path& path,
                                                                std::chrono::milliseconds /*patience*/) {
  ADA_THROW(
      "[colmap] {}: matching in it needs SQLite, and this program was built without it - configure with "
      "-DADASAMPLE_SQLITE=ON",
      path.string());
}

}  // namespace adasample
