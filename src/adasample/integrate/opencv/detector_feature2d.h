// SPDX-License-Identifier: Apache-2.0
// A KeypointDetector (features/detect/keypoint_detector.h) where OpenCV expects one of its own.
#pragma once

#include <opencv2/features2d.hpp>
#include <string>

namespace adasample {

// Called kDetectorPrefix and its name; sizes are two sigmas, angles those of the dominant gradient. Throws a usage Error
// for a name that is not known.
inline constexpr const char* kDetectorPrefix = "Feature2D.AdasampleDetector.";
cv::Ptr<cv::Feature2D> make_detector_feature2d(const std::string& detector);

}  // namespace adasample
