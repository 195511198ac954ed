// SPDX-License-Identifier: Apache-2.0
// Homography sequences -> patches in the layout of HPatches. Keypoints are found in the reference only, by several
// detectors together, each with one dominant orientation and a square measurement region; clusters of overlapping
// regions are reduced to one member. In each target a patch is cut where the homography puts the region, after its
// frame was moved as if a detector had found it again, a little off: at three levels (data/sequences/frame_noise.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "adasample/base/conventions.h"
#include "adasample/data/sequences/frame_noise.h"
#include "adasample/data/sequences/sequence_folder.h"
#include "adasample/features/keypoint.h"

namespace adasample {

struct SequenceOptions {
  std::vector<std::string> detectors = {"dog", "hessian", "harris"};
  int max_patches = 2000;                  // a sequence; a random choice where there are more
  double region_factor = kHpatchesRegion;  // half width of the measurement region, in sigmas
  double min_contrast = 5.0;               // standard deviation of the reference patch, grey levels
  double max_overlap = 0.5;                // of two regions' inscribed discs, intersection over union
  FrameNoise noise = {};
  uint64_t seed = 0;
  bool skip_bad = false;  // leave out sequences that cannot be read, with a warning

  void validate() const;
};

// Writes one folder a sequence and sequences.json below `out`, which must not exist (docs/formats.md), and returns what
// sequences.json holds. A keypoint is kept only if its region lies inside the reference and all its noisy, projected
// regions lie inside their targets: no patch shows anything but the pictures. The bytes depend on the files and the
// options, not on the thread count.
nlohmann::ordered_json make_sequences(const std::filesystem::path& folder, const SequenceOptions& options,
                                      const std::filesystem::path& out);

}  // namespace adasample
