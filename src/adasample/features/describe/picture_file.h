// SPDX-License-Identifier: Apache-2.0
// One picture, opened to find and describe keypoints in. Keypoints go in and out in pixels of the file; what is looked
// at is a copy no larger than `max_side`, which bounds the memory.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "adasample/features/describe/picture_features.h"
#include "adasample/features/describe_picture.h"
#include "adasample/image/image.h"
#include "adasample/image/scale_pyramid.h"

namespace adasample {

class PictureFile {
 public:
  // Throws Error that names the file when it cannot be read.
  PictureFile(const std::filesystem::path& file, const PictureOptions& options);
  // A picture that is in memory already; `name` is for messages.
  PictureFile(std::string name, GrayImage image, const PictureOptions& options);

  int width() const { return width_; }  // of the file
  int height() const { return height_; }
  const GrayImage& image() const { return pyramid_.level(0, 0).image; }  // reduced
  double reduction() const { return reduction_; }                        // 1, 2, 4, ..

  // Strongest first.
  std::vector<Keypoint> detect() const;
  // The same keypoints with their dominant orientations.
  std::vector<Keypoint> orient(const std::vector<Keypoint>& keypoints) const;
  // The patches around them, (keypoints, size, size). Throws Error for a keypoint outside the picture.
  std::vector<uint8_t> cut(const std::vector<Keypoint>& keypoints) const;
  // As describe_keypoints() of features/describe/picture_features.h. Throws Error for a keypoint outside the picture.
  std::vector<float> describe(const std::vector<Keypoint>& keypoints, Descriptor& descriptor, Progress& progress,
                              double& seconds) const;
  // The two as a picture described; `seconds` as above.
  DescribedPicture described(std::vector<Keypoint> keypoints, Descriptor& descriptor, Progress& progress,
                             double& seconds) const;

 private:
  PictureFile(std::string name, int width, int height, ReducedImage reduced, const PictureOptions& options);
  std::vector<Keypoint> to_file(std::vector<Keypoint> keypoints) const;
  std::vector<Keypoint> to_copy(const std::vector<Keypoint>& keypoints) const;

  std::string name_;
  PictureOptions options_;
  int width_, height_;
  double reduction_;
  ScalePyramid pyramid_;
};

}  // namespace adasample
