// SPDX-License-Identifier: Apache-2.0
// Classes as misregistered as a detector makes them: the picture is seen again as a whole (data/views/picture_view.h),
// keypoints are detected in each such view on its own, and a class is a keypoint of the picture with those of the views
// that are the same point (features/regions/refound.h). Each patch is cut at its own keypoint.
#pragma once

#include <span>
#include <vector>

#include "adasample/data/view_options.h"
#include "adasample/data/views/view_class.h"
#include "adasample/features/detect/keypoint_detector.h"

namespace adasample {

// A class, how hard each of its patches is, and the view it was cut from: 0 is the picture itself.
struct GradedClass {
  PatchClass patches;
  std::vector<float> strengths;
  std::vector<int> views = {};
};

// The class of each keypoint: the picture's own patch (strength 0), then one of each view, from the easiest to the
// hardest, where the point was found again (strength: 1 less the overlap). There are options.views - 1 of these
// views. Empty where there is none, or where the patch lies outside or is flat. A pure function of its arguments.
std::vector<GradedClass> redetect_classes(const ScalePyramid& picture, std::span<const Keypoint> keypoints, RngKey key,
                                          const ViewClassOptions& options, const KeypointDetector& detector,
                                          const RedetectOptions& redetect);

}  // namespace adasample
