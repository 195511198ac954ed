// SPDX-License-Identifier: Apache-2.0
#include "adasample/integrate/opencv/detector_feature2d.h"

#include <algorithm>
#include <memory>
#include <numbers>

#include "adasample/base/error.h"
#include "adasample/features/detect/keypoint_detector.h"
#include "adasample/features/use_opencv.h"
#include "adasample/image/files/opencv/mat_image.h"

namespace adasample {
namespace {

class DetectorFeature2D final : public cv::Feature2D {
 public:
  explicit DetectorFeature2D(const std::string& name)
      : name_(name), detector_(make_keypoint_detector({.detector = name})) {}

  void detect(cv::InputArray image, std::vector<cv::KeyPoint>& keypoints, cv::InputArray mask) override {
    keypoints.clear();
    if (image.empty()) return;
    const cv::Mat allowed = mask.getMat();
    ADA_USAGE(allowed.empty() || (allowed.type() == CV_8U && allowed.size() == image.size()),
              "[opencv] expected a mask of 8 bits and {} x {} pixels, found {} x {}", image.cols(), image.rows(),
              allowed.cols, allowed.rows);
    for (const Keypoint& k : detector_->detect(ScalePyramid(to_gray_image(image.getMat())))) {
      const int x = std::clamp(cvRound(k.x), 0, image.cols() - 1), y = std::clamp(cvRound(k.y), 0, image.rows() - 1);
      if (!allowed.empty() && allowed.at<uint8_t>(y, x) == 0) continue;
      const double degrees = k.angle * 180 / std::numbers::pi;
      keypoints.emplace_back(static_cast<float>(k.x), static_cast<float>(k.y), static_cast<float>(2 * k.sigma),
                             static_cast<float>(degrees < 0 ? degrees + 360 : degrees), static_cast<float>(k.strength));
    }
  }
  bool empty() const override { return false; }
  cv::String getDefaultName() const override { return kDetectorPrefix + name_; }

 private:
  std::string name_;
  std::unique_ptr<KeypointDetector> detector_;
};

}  // namespace

cv::Ptr<cv::Feature2D> make_detector_feature2d(const std::string& detector) {
  use_opencv();
  return cv::makePtr<DetectorFeature2D>(detector);
}

}  // namespace adasample
