// SPDX-License-Identifier: Apache-2.0
// Pictures to a file of descriptors: read, detected or given keypoints, described, written.
#pragma once

#include <string>
#include <vector>

#include "adasample/base/bytes/number_type.h"
#include "adasample/eval/descriptors/storage_loss.h"
#include "adasample/features/feature_options.h"
#include "adasample/model/descriptor.h"

namespace adasample {

struct PicturesArguments {
  std::string images, keypoints;
  PictureOptions options;
  double sigma = 0;  // of given keypoints without a scale, pixels; 0: refuse them

  void validate() const;
};

struct DescribedPictures {
  int64_t pictures = 0, keypoints = 0;
  std::vector<std::string> empty;  // pictures without keypoints
  double seconds = 0;              // spent in the descriptor
  StorageLoss loss;
};

// Writes what make_feature_writer() of integrate/feature_writer.h does, the same bytes for any number of threads. A few
// pictures are in memory (features/describe/picture_stream.h). Throws Error when a picture cannot be read, none has a
// keypoint, or on Ctrl-C; then nothing is written.
DescribedPictures describe_pictures(const PicturesArguments& arguments, Descriptor& descriptor, const std::string& out,
                                    NumberType type);

}  // namespace adasample
