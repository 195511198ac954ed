// SPDX-License-Identifier: Apache-2.0
// Scales and orientations for a model whose database is lost: the photographs are searched again, and a place of the
// model takes those of the keypoint that is found there.
#pragma once

#include <filesystem>

#include "adasample/data/colmap/colmap_tracks.h"

namespace adasample {

inline constexpr double kFoundAgain = 1.5;  // pixels from the model's place, at most

// For every place of the model: there, with the scale and orientation of the nearest keypoint that `dog` finds within
// kFoundAgain; of several at one place the strongest. Sigma is -1 where none is found. `model` must outlive it.
ColmapKeypoints redetect_keypoints(const ColmapModel& model, const std::filesystem::path& images);

}  // namespace adasample
