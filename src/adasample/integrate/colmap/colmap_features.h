// SPDX-License-Identifier: Apache-2.0
// COLMAP's text file of one picture's features, as its feature_importer reads it: a line `NUM DIM`, then NUM lines of
// X Y SCALE ORIENTATION and DIM numbers of a descriptor, which are passed over. DIM may be 0.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "adasample/features/keypoint.h"

namespace adasample {

// Places and scales as colmap_keypoints() of integrate/colmap/colmap_keypoints.h has them. Throws Error that names file
// and line.
std::vector<Keypoint> parse_colmap_features(std::string_view text, const std::string& name);

}  // namespace adasample
