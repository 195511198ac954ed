// SPDX-License-Identifier: Apache-2.0
// One picture, opened to find and describe keypoints in. Keypoints go in and out in pixels of the file; what is looked
// at is a copy no larger than `max_side`, which bounds the memory.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "adasample/features/describe/picture_features.h"
#include "adasample/image/image.h"
#include "adasample/image/scale_pyramid.h"

namespace adasample {

// OpenCV's SIFT with the limits of COLMAP's own extractor: contrast 0.02, every scale, a second keypoint where a second
// orientation stands out, nothing thinned out. max_keypoints counts places, not orientations.
inline constexpr const char* kSiftDetector = "sift";

struct PictureOptions {
  FeatureOptions features;  // the detector: one of picture_detectors()
  int max_side = 3000;      // pixels; a larger picture is halved until it fits
  bool as_stored = false;  // pixels as COLMAP and hloc have them, whatever EXIF says of their orientation; else upright

  void validate() const;
};

// Those of features/detect/detector.h, and kSiftDetector.
std::vector<std::string> picture_detectors();

class PictureFile {
 public:
  // Throws Error that names the file when it cannot be read.
  PictureFile(const std::filesystem::path& file, const PictureOptions& options);

  int width() const { return width_; }  // of the file
  int height() const { return height_; }
  const GrayImage& image() const { return pyramid_.level(0, 0).image; }  // reduced
  double reduction() const { return reduction_; }                        // 1, 2, 4, ..

  // Strongest first.
  std::vector<Keypoint> detect() const;
  // The same keypoints with their dominant orientations.
  std::vector<Keypoint> orient(const std::vector<Keypoint>& keypoints) const;
  // As describe_keypoints() of features/describe/picture_features.h. Throws Error for a keypoint outside the picture.
  std::vector<float> describe(const std::vector<Keypoint>& keypoints, Descriptor& descriptor, Progress& progress,
                              double& seconds) const;

 private:
  PictureFile(std::string name, GrayImage image, const PictureOptions& options);
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
