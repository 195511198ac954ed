// SPDX-License-Identifier: Apache-2.0
// Which photographs a store is made of, and where they are cut.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "adasample/data/photographs/photographs.h"
#include "adasample/features/detect/keypoint_detector.h"

namespace adasample {

class PhotographKeypoints {
 public:
  // All pictures below `folder`, or those that the options' list names.
  PhotographKeypoints(const std::filesystem::path& folder, const PhotographOptions& options);

  const std::vector<std::string>& files() const { return files_; }            // relative to the folder
  const std::vector<SkippedPhotograph>& missing() const { return missing_; }  // named in the list, not in the folder

  // In pixels of the picture, which is `reduction` times smaller than the file. Several threads may ask at once.
  std::vector<Keypoint> of(const std::string& file, const ScalePyramid& picture, double reduction) const;

  // Finds them again in other views: all there are, since one that overlaps a stronger one may be the one wanted. Not
  // with a list.
  const KeypointDetector& view_detector() const { return *view_detector_; }

 private:
  void read_list(const std::filesystem::path& folder, const std::filesystem::path& file);

  FeatureOptions options_;
  std::vector<std::string> files_;
  std::vector<SkippedPhotograph> missing_;
  KeypointList listed_;
  std::unique_ptr<KeypointDetector> detector_, view_detector_;  // null with a list
};

}  // namespace adasample
