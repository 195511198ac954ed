// SPDX-License-Identifier: Apache-2.0
// COLMAP's cameras as geometry takes them.
#pragma once

#include <optional>

#include "adasample/data/colmap/colmap_model.h"
#include "adasample/features/match/two_view.h"

namespace adasample {

// In COLMAP's pixels, whose first centre is (1/2, 1/2). None for models other than pinholes with radial or OpenCV's
// distortion.
std::optional<CameraIntrinsics> colmap_intrinsics(const ColmapCamera& camera);

}  // namespace adasample
