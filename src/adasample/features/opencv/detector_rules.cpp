// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/opencv/detector_rules.h"

#include <array>

#include "adasample/base/error.h"

namespace adasample {
namespace {

template <typename Detector>
cv::Ptr<cv::Feature2D> made() {
  return Detector::create();
}

struct Rule {
  const char* name;
  Region region;
  cv::Ptr<cv::Feature2D> (*make)();  // null: in a module of OpenCV that may be missing
};

const std::array<Rule, 8> kRules = {{{"SIFT", Region::sift, made<cv::SIFT>},
                                     {"SURF", Region::surf, nullptr},
                                     {"KAZE", Region::kaze, made<cv::KAZE>},
                                     {"AKAZE", Region::akaze, made<cv::AKAZE>},
                                     {"AgastFeatureDetector", Region::agast, made<cv::AgastFeatureDetector>},
                                     {"BRISK", Region::brisk, made<cv::BRISK>},
                                     {"FastFeatureDetector", Region::fast, made<cv::FastFeatureDetector>},
                                     {"ORB", Region::orb, made<cv::ORB>}}};

const Rule* find_rule(const std::string& name) {
  for (const Rule& rule : kRules) {
    if (name == std::string("Feature2D.") + rule.name) return &rule;
  }
  return nullptr;
}

}  // namespace

Region region_of_detector(const std::string& name) {
  const Rule* rule = find_rule(name);
  ADA_USAGE(
      rule != nullptr,
      "Descriptor2DOptions::region: none is known for keypoints of '{}' - give the side of the square in diameters",
      name);
  return rule->region;
}

cv::Ptr<cv::Feature2D> make_opencv_detector(const std::string& name) {
  const Rule* rule = find_rule(name);
  ADA_USAGE(rule != nullptr && rule->make != nullptr,
            "[opencv] the detector '{}' cannot be made by its name - create() with it first, then read()", name);
  return rule->make();
}

}  // namespace adasample
