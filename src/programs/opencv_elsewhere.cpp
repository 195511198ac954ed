// SPDX-License-Identifier: Apache-2.0
#include "adasample/cli/hand_over.h"
#include "adasample/features/describe/patch_descriptors.h"
#include "adasample/features/match/match_drawing.h"
#include "adasample/features/match/two_view.h"
#include "adasample/features/opencv_part.h"
#include "adasample/image/files/images.h"

namespace adasample {
namespace {

// In place of any function that OpenCV has.
template <typename Result, typename... Arguments>
Result elsewhere(Arguments...) {
  throw HandOver{kOpencvProgram};
}

}  // namespace

void register_opencv_part() {
  set_decoder_of_other_formats(elsewhere);
  set_opencv_part({.prepare = elsewhere,
                   .make_detector = elsewhere,
                   .make_homography_estimator = elsewhere,
                   .estimate_geometry = elsewhere,
                   .estimate_pose = elsewhere,
                   .match_rows = elsewhere,
                   .draw_matches = elsewhere,
                   .count_sift_features = elsewhere});
  register_patch_descriptors(elsewhere);
}

}  // namespace adasample
