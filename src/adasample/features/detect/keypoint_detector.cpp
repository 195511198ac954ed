// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/detect/keypoint_detector.h"

#include <algorithm>
#include <array>

#include "adasample/base/error.h"
#include "adasample/base/parallel.h"
#include "adasample/features/detect/detector.h"
#include "adasample/features/detect/orientation.h"
#include "adasample/features/opencv_part.h"
#include "adasample/features/regions/region_overlap.h"

namespace adasample {
namespace {

constexpr int kSmallestPatch = 8, kLargestPatch = 128;  // pixels
constexpr int kSmallestSide = 64, kLargestSide = 16384;
constexpr int kFewestKeypoints = 4;         // of a picture to be matched
constexpr double kLevelsPerContrast = 100;  // grey levels of strength, for a contrast of 1

constexpr std::array<std::string_view, 4> kOpencvNames = {"sift", "orb", "akaze", "brisk"};

// One of ours: maxima of its responses, the strongest ones kept, turned to the dominant gradient.
class OwnDetector : public KeypointDetector {
 public:
  explicit OwnDetector(const FeatureOptions& options) : options_(options), detector_(make_detector(options.detector)) {}

  std::vector<Keypoint> detect(const ScalePyramid& picture) const override {
    DetectionLimits limits;
    if (options_.min_sigma > 0) limits.min_sigma = options_.min_sigma;
    if (options_.min_contrast > 0) limits.min_strength = kLevelsPerContrast * options_.min_contrast;
    const std::vector<Keypoint> all = adasample::detect(*detector_, picture, limits);
    std::vector<size_t> order = strongest_first(all);
    if (options_.max_overlap < 1) order = suppress_overlaps(all, order, options_.region_factor, options_.max_overlap);
    order.resize(std::min(order.size(), static_cast<size_t>(options_.max_keypoints)));
    std::vector<Keypoint> kept;
    for (const size_t i : order) kept.push_back(all[i]);
    if (options_.upright) return kept;
    parallel_for(std::ssize(kept), [&](int64_t i) {
      Keypoint& k = kept[static_cast<size_t>(i)];
      k.angle = dominant_orientation(picture, k);
    });
    return kept;
  }

 private:
  FeatureOptions options_;
  std::unique_ptr<Detector> detector_;
};

bool is_opencv_detector(std::string_view name) {
  return std::find(kOpencvNames.begin(), kOpencvNames.end(), name) != kOpencvNames.end();
}

}  // namespace

std::vector<std::string> keypoint_detector_names() {
  std::vector<std::string> names(detector_names().begin(), detector_names().end());
  names.insert(names.end(), kOpencvNames.begin(), kOpencvNames.end());
  return names;
}

std::unique_ptr<KeypointDetector> make_keypoint_detector(const FeatureOptions& options) {
  options.validate();
  if (!is_opencv_detector(options.detector)) return std::make_unique<OwnDetector>(options);
  ADA_CHECK(opencv_part().make_detector != nullptr,
            "[keypoints] the detector {} needs OpenCV, which this program was built without - take --detector dog, or "
            "a list made elsewhere with 'adasample data keypoints'",
            options.detector);
  return opencv_part().make_detector(options);
}

void FeatureOptions::validate() const {
  const std::vector<std::string> names = keypoint_detector_names();
  ADA_USAGE(std::find(names.begin(), names.end(), detector) != names.end(), "detector = \"{}\", must be one of {}",
            detector, fmt::join(names, ", "));
  ADA_USAGE(max_keypoints >= 1 && max_keypoints <= 1'000'000,
            "FeatureOptions::max_keypoints = {}, must be 1 to 1,000,000", max_keypoints);
  ADA_USAGE(region_factor >= 1 && region_factor <= 100, "FeatureOptions::region_factor = {}, must be 1 to 100",
            region_factor);
  ADA_USAGE(min_contrast >= 0 && min_contrast <= 1, "FeatureOptions::min_contrast = {}, must be 0 to 1", min_contrast);
  ADA_USAGE(min_sigma == 0 || (min_sigma >= 0.1 && min_sigma <= 1000),
            "FeatureOptions::min_sigma = {}, must be 0.1 to 1000, or 0 for the detector's own", min_sigma);
  ADA_USAGE(max_overlap >= 0 && max_overlap <= 1, "FeatureOptions::max_overlap = {}, must be 0 to 1", max_overlap);
  ADA_USAGE(size >= kSmallestPatch && size <= kLargestPatch, "FeatureOptions::size = {}, must be {} to {}", size,
            kSmallestPatch, kLargestPatch);
}

void PictureOptions::validate() const {
  features.validate();
  ADA_USAGE(features.max_keypoints >= kFewestKeypoints, "FeatureOptions::max_keypoints = {}, must be {} at least",
            features.max_keypoints, kFewestKeypoints);
  ADA_USAGE(max_side >= kSmallestSide && max_side <= kLargestSide, "PictureOptions::max_side = {}, must be {} to {}",
            max_side, kSmallestSide, kLargestSide);
}

}  // namespace adasample
