// SPDX-License-Identifier: Apache-2.0
// Homography sequences of a scene of blobs, as PGM files.
#pragma once

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <vector>

#include "adasample/base/files/file_io.h"
#include "adasample/data/sequences/sequence_folder.h"
#include "adasample/image/files/pgm.h"
#include "tests/support/test_images.h"

namespace adasample::testing {

// Two targets: one turned, zoomed out and a little in perspective, one shifted.
inline std::vector<Homography> small_homographies() {
  return {Homography({0.8, -0.3, 60, 0.3, 0.8, 10, 2e-4, -1e-4, 1}), Homography(Affine2::translation(-20.5, 7.25))};
}

// Pictures of 240 x 160, the targets 260 x 240.
inline void write_small_sequence(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  write_pgm(folder / "1.pgm", blob_scene());
  int number = 2;
  for (const Homography& target_from_ref : small_homographies()) {
    write_pgm(folder / fmt::format("{}.pgm", number), blob_scene(target_from_ref.inverse(), 260, 240));
    write_file_atomically(folder / fmt::format("H_1_{}", number),
                          fmt::format("{}\n", fmt::join(target_from_ref.entries(), " ")));
    ++number;
  }
}

}  // namespace adasample::testing
