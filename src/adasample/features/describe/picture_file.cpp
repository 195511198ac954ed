// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/describe/picture_file.h"

#include "adasample/base/error.h"
#include "adasample/base/parallel.h"
#include "adasample/features/describe/keypoint_detector.h"
#include "adasample/features/detect/detector.h"
#include "adasample/features/detect/orientation.h"
#include "adasample/features/keypoint_list.h"
#include "adasample/image/files/images.h"

namespace adasample {
namespace {

constexpr int kSmallestSide = 64, kLargestSide = 16384;

// Of "sift", as COLMAP's extractor has them.
constexpr double kSiftContrast = 0.02;  // its peak threshold, 0.02 / 3 a layer
constexpr double kSiftLeastSigma = 0.1;
constexpr int kMostOrientations = 2;  // of a place; its max_num_orientations
constexpr int kMostAtAPlace = 4;      // that OpenCV may give: peaks of 36 directions above 0.8 of the highest

bool same_place(const Keypoint& a, const Keypoint& b) { return a.x == b.x && a.y == b.y && a.sigma == b.sigma; }

std::vector<Keypoint> sift_places(const GrayImage& image, const FeatureOptions& options) {
  const KeypointOptions limits{.min_contrast = kSiftContrast,
                               .min_sigma = kSiftLeastSigma,
                               .max_overlap = 1,
                               .max_count = kMostAtAPlace * options.max_keypoints};
  const int most_here = options.upright ? 1 : kMostOrientations;
  std::vector<Keypoint> kept;
  int places = 0, here = 0;
  for (Keypoint k : detect_keypoints(image, limits)) {  // those of a place one after another
    here = !kept.empty() && same_place(kept.back(), k) ? here + 1 : 1;
    if (here == 1 && ++places > options.max_keypoints) break;
    if (options.upright) k.angle = 0;
    if (here <= most_here) kept.push_back(k);
  }
  return kept;
}

}  // namespace

std::vector<std::string> picture_detectors() {
  std::vector<std::string> names(detector_names().begin(), detector_names().end());
  names.emplace_back(kSiftDetector);
  return names;
}

void PictureOptions::validate() const {
  FeatureOptions checked = features;
  if (checked.detector == kSiftDetector) checked.detector = detector_names().front();
  checked.validate();
  ADA_USAGE(max_side >= kSmallestSide && max_side <= kLargestSide, "PictureOptions::max_side = {}, must be {} to {}",
            max_side, kSmallestSide, kLargestSide);
}

PictureFile::PictureFile(const std::filesystem::path& file, const PictureOptions& options)
    : PictureFile(file.string(), options.as_stored ? read_image_as_stored(file) : read_image(file), options) {}

PictureFile::PictureFile(std::string name, GrayImage image, const PictureOptions& options)
    : PictureFile(std::move(name), image.width, image.height, reduce_to(std::move(image), options.max_side), options) {}

PictureFile::PictureFile(std::string name, int width, int height, ReducedImage reduced, const PictureOptions& options)
    : name_(std::move(name)),
      options_(options),
      width_(width),
      height_(height),
      reduction_(reduced.reduction),
      pyramid_(std::move(reduced.image)) {}

std::vector<Keypoint> PictureFile::detect() const {
  const FeatureOptions& features = options_.features;
  return to_file(features.detector == kSiftDetector ? sift_places(image(), features)
                                                    : find_keypoints(pyramid_, features));
}

std::vector<Keypoint> PictureFile::orient(const std::vector<Keypoint>& keypoints) const {
  const std::vector<Keypoint> placed = to_copy(keypoints);
  std::vector<Keypoint> turned = keypoints;
  parallel_for(std::ssize(turned), [&](int64_t i) {
    const auto at = static_cast<size_t>(i);
    turned[at].angle = dominant_orientation(pyramid_, placed[at]);
  });
  return turned;
}

std::vector<float> PictureFile::describe(const std::vector<Keypoint>& keypoints, Descriptor& descriptor,
                                         Progress& progress, double& seconds) const {
  return describe_keypoints(pyramid_, to_copy(keypoints), descriptor, options_.features, progress, seconds);
}

std::vector<Keypoint> PictureFile::to_file(std::vector<Keypoint> keypoints) const {
  for (Keypoint& k : keypoints) {
    k.x *= reduction_;
    k.y *= reduction_;
    k.sigma *= reduction_;
  }
  return keypoints;
}

std::vector<Keypoint> PictureFile::to_copy(const std::vector<Keypoint>& keypoints) const {
  return place_keypoints(keypoints, name_, image(), reduction_);
}

}  // namespace adasample
