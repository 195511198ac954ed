// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <opencv2/core.hpp>
#include <opencv2/features2d.hpp>
#include <tuple>

#include "adasample/base/error.h"
#include "adasample/features/detect/orientation.h"
#include "adasample/features/opencv/opencv_functions.h"
#include "adasample/features/opencv/opencv_keypoint.h"
#include "adasample/features/region.h"
#include "adasample/features/regions/region_overlap.h"

namespace adasample {
namespace {

constexpr int kSmallestPicture = 16;  // pixels; nothing can be found in less

// SIFT with OpenCV's defaults but for the contrast. That of COLMAP's extractor is 0.02 / 3 a layer, at which OpenCV
// finds one place in eight less; with a little less contrast it finds as many.
constexpr int kLayers = 3;
constexpr double kEdge = 10, kSmoothing = 1.6, kSiftContrast = 0.017;
constexpr int kMostOrientations = 2;  // of a place; COLMAP's max_num_orientations

struct OpencvKind {
  const char* name;
  Region region;       // that a keypoint's size means
  double least_sigma;  // image pixels, where the caller sets none
  bool oriented;       // whether detect() gives angles; else we do
  cv::Ptr<cv::Feature2D> (*make)(const FeatureOptions& options);
};

constexpr std::array<OpencvKind, 4> kKinds = {{
    {"sift", Region::sift, 0.1, true,
     [](const FeatureOptions& options) -> cv::Ptr<cv::Feature2D> {
       const double contrast = options.min_contrast > 0 ? options.min_contrast : kSiftContrast;
       return cv::SIFT::create(0, kLayers, contrast, kEdge, kSmoothing);
     }},
    {"orb", Region::orb, 0, true,
     [](const FeatureOptions& options) -> cv::Ptr<cv::Feature2D> { return cv::ORB::create(options.max_keypoints); }},
    {"akaze", Region::akaze, 0, false,
     [](const FeatureOptions&) -> cv::Ptr<cv::Feature2D> { return cv::AKAZE::create(); }},
    {"brisk", Region::brisk, 0, false,
     [](const FeatureOptions&) -> cv::Ptr<cv::Feature2D> { return cv::BRISK::create(); }},
}};

// OpenCV's order depends on how its threads ran; ours must not.
bool stronger(const Keypoint& a, const Keypoint& b) {
  return std::tie(b.strength, a.y, a.x, a.sigma, a.angle) < std::tie(a.strength, b.y, b.x, b.sigma, b.angle);
}

bool same_place(const Keypoint& a, const Keypoint& b) { return a.x == b.x && a.y == b.y && a.sigma == b.sigma; }

class OpencvDetector : public KeypointDetector {
 public:
  OpencvDetector(const OpencvKind& kind, const FeatureOptions& options) : kind_(kind), options_(options) {}

  std::vector<Keypoint> detect(const ScalePyramid& picture) const override {
    const GrayImage& image = picture.level(0, 0).image;
    if (std::min(image.width, image.height) < kSmallestPicture) return {};
    const std::vector<Keypoint> found = find(image);
    std::vector<size_t> order = strongest_first(found);
    if (options_.max_overlap < 1) order = suppress_overlaps(found, order, options_.region_factor, options_.max_overlap);
    const int most_here = options_.upright ? 1 : kMostOrientations;
    std::vector<Keypoint> kept;
    int places = 0, here = 0;
    for (const size_t i : order) {  // those of a place one after another
      Keypoint k = found[i];
      here = !kept.empty() && same_place(kept.back(), k) ? here + 1 : 1;
      if (here == 1 && ++places > options_.max_keypoints) break;
      if (here > most_here) continue;
      if (options_.upright) k.angle = 0;
      if (!options_.upright && !kind_.oriented) k.angle = dominant_orientation(picture, k);
      kept.push_back(k);
    }
    return kept;
  }

 private:
  // With a sigma that makes `region_factor` mean the same for all.
  std::vector<Keypoint> find(const GrayImage& image) const {
    std::vector<uint8_t> bytes = to_bytes(image);
    const cv::Mat picture(image.height, image.width, CV_8U, bytes.data());
    std::vector<cv::KeyPoint> found;
    kind_.make(options_)->detect(picture, found);
    const double least = options_.min_sigma > 0 ? options_.min_sigma : kind_.least_sigma;
    const double scale = kind_.region.side / Region::sift.side;
    std::vector<Keypoint> keypoints;
    for (const cv::KeyPoint& k : found) {
      Keypoint ours = from_opencv(k, kind_.region.shift);
      ours.sigma *= scale;
      if (ours.sigma >= least) keypoints.push_back(ours);
    }
    std::sort(keypoints.begin(), keypoints.end(), stronger);
    return keypoints;
  }

  const OpencvKind& kind_;
  FeatureOptions options_;
};

}  // namespace

std::unique_ptr<KeypointDetector> make_opencv_keypoint_detector(const FeatureOptions& options) {
  for (const OpencvKind& kind : kKinds) {
    if (options.detector == kind.name) return std::make_unique<OpencvDetector>(kind, options);
  }
  ADA_THROW_KIND(kBug, "[bug] no detector '{}'", options.detector);
}

}  // namespace adasample
