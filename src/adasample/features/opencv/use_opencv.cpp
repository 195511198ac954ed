// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/use_opencv.h"

#include <mutex>

#include "adasample/features/describe/patch_descriptors.h"
#include "adasample/features/opencv/opencv_functions.h"
#include "adasample/features/opencv/orb_descriptor.h"
#include "adasample/features/opencv/sift_descriptor.h"
#include "adasample/features/opencv_part.h"
#include "adasample/image/files/images.h"

namespace adasample {
namespace {

std::unique_ptr<Descriptor> make_classic(const std::string& name) {
  if (name == "orb") return make_orb_descriptor();
  return make_sift_descriptor(/*root=*/name == "rootsift");
}

}  // namespace

void use_opencv() {
  static std::once_flag once;
  std::call_once(once, [] {
    register_opencv_pictures();
    set_opencv_part({.prepare = nullptr,
                     .make_detector = make_opencv_keypoint_detector,
                     .make_homography_estimator = make_opencv_homography_estimator,
                     .estimate_geometry = estimate_geometry_by_opencv,
                     .estimate_pose = estimate_pose_by_opencv,
                     .match_rows = match_rows_by_opencv,
                     .draw_matches = draw_matches_by_opencv,
                     .count_sift_features = count_sift_features});
    register_patch_descriptors(make_classic);
  });
}

}  // namespace adasample
