// SPDX-License-Identifier: Apache-2.0
// A photograph to keypoints and descriptors.
#pragma once

#include <filesystem>
#include <vector>

#include "adasample/features/feature_options.h"
#include "adasample/features/keypoint.h"
#include "adasample/model/descriptor.h"

namespace adasample {

struct DescribedPicture {
  int width = 0, height = 0;        // of the file, pixels
  std::vector<Keypoint> keypoints;  // in pixels of the file, strongest first
  int dimension = 0;
  std::vector<float> descriptors;  // (keypoints, dimension)
};

// Throws Error that names the file when it cannot be read.
DescribedPicture describe_picture(const std::filesystem::path& file, Descriptor& descriptor,
                                  const PictureOptions& options = {});

}  // namespace adasample
