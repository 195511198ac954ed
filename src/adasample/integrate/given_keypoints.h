// SPDX-License-Identifier: Apache-2.0
// Keypoints that another program found, by the ending of the file:
//   .csv  our list (features/keypoint_list.h)
//   .txt  COLMAP's features of one picture (integrate/colmap/colmap_features.h)
//   .h5   hloc's (integrate/hloc/hloc_h5.h)
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "adasample/features/keypoint.h"

namespace adasample {

struct GivenKeypoints {
  std::vector<Keypoint> keypoints;
  bool scaled = true, oriented = true;  // else sigma or angle is 0, not known
};

// Of the picture with this path below the folder; none where the file does not name it.
using KeypointReader = std::function<GivenKeypoints(const std::string& picture)>;

// Throws Error that names the file, now or when a picture is asked for; a usage Error for any other ending.
KeypointReader open_keypoints(const std::filesystem::path& file);
// Whether the file is about one picture, whatever its name.
bool holds_one_picture(const std::filesystem::path& file);

}  // namespace adasample
