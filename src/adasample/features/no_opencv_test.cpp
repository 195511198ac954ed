// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "adasample/features/detect/keypoint_detector.h"
#include "adasample/features/match/match_drawing.h"
#include "adasample/features/match/match_geometry.h"
#include "adasample/model/descriptor_registry.h"
#include "tests/support/expect_error.h"
#include "tests/support/opencv.h"

namespace adasample {
namespace {

TEST(WithoutOpencv, EverythingSaysWhatItNeeds) {
  EXPECT_FALSE(testing::have_opencv());
  EXPECT_FALSE(can_estimate_geometry());
  EXPECT_FALSE(make_homography_estimator());
  testing::expect_error([] { make_keypoint_detector({.detector = "sift"}); }, "sift needs OpenCV", "--detector dog");
  testing::expect_error([] { estimate_geometry({}, {}, {}); }, "OpenCV", "--geometry none");
  testing::expect_error([] { draw_matches({}, {}, {{}}, {}); }, "OpenCV", "--out");
  int known = 0;
  for (const DescriptorKind& kind : registered_descriptors()) {
    if (!kind.architecture.empty()) continue;
    ++known;
    EXPECT_NE(kind.problem("cpu").find("needs OpenCV, and this program was built without it"), std::string::npos);
  }
  EXPECT_EQ(known, 3) << "sift, rootsift, orb";
}

}  // namespace
}  // namespace adasample
