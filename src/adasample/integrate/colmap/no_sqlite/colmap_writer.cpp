// SPDX-License-Identifier: Apache-2.0
#include "adasample/integrate/colmap/colmap_writer.h"

#include "adasample/base/error.h"

namespace adasample {

std::unique_ptr<ColmapWriter> open_colmap_writer(const std::filesystem::path& path,
                                                 std::chrono::milliseconds /*patience*/) {
  ADA_THROW(
      "[colmap] {}: writing it needs SQLite, and this program was built without it - configure with "
      "-DADASAMPLE_SQLITE=ON",
      path.string());
}

}  // namespace adasample
