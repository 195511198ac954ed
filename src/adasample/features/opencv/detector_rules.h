// SPDX-License-Identifier: Apache-2.0
// OpenCV's detectors by the names they give themselves ("Feature2D.SIFT").
#pragma once

#include <opencv2/features2d.hpp>
#include <string>

#include "adasample/features/region.h"

namespace adasample {

// Throws a usage Error for a detector whose keypoint sizes are not known to mean anything.
Region region_of_detector(const std::string& name);

// With OpenCV's defaults. Throws a usage Error for a name that cannot be made here.
cv::Ptr<cv::Feature2D> make_opencv_detector(const std::string& name);

}  // namespace adasample
