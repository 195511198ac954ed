// SPDX-License-Identifier: Apache-2.0
// Keypoints and descriptors of pictures, written one picture after another and never held together; complete or absent.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "adasample/base/bytes/number_type.h"
#include "adasample/features/keypoint.h"

namespace adasample {

struct PictureFeatures {
  std::string name;           // path below the folder of pictures
  int width = 0, height = 0;  // pixels
  std::vector<Keypoint> keypoints;
  std::vector<float> descriptors;  // (keypoints, dimension)
};

class FeatureWriter {
 public:
  virtual ~FeatureWriter() = default;
  virtual void add(const PictureFeatures& picture) = 0;
  // Makes the files appear, one keypoint at least being there. Without it nothing is left behind.
  virtual void finish() = 0;
};

// By the ending of `out`, which must not exist:
//   .npy, .csv  a row a keypoint (base/files/row_writer.h), and keypoints_beside(out), a list in the same order
//   .h5         hloc's layout (integrate/hloc/hloc_h5.h)
// A usage Error for any other ending.
std::unique_ptr<FeatureWriter> make_feature_writer(const std::filesystem::path& out, int dimension, NumberType type);

// "x.keypoints.csv" for "x.npy".
std::filesystem::path keypoints_beside(const std::filesystem::path& out);

}  // namespace adasample
