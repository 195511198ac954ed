// SPDX-License-Identifier: Apache-2.0
// What features/opencv/ does, where the program is built without OpenCV.
#include "adasample/base/error.h"
#include "adasample/features/describe/keypoint_detector.h"
#include "adasample/features/describe/orb_descriptor.h"
#include "adasample/features/describe/sift_descriptor.h"
#include "adasample/features/match/match_drawing.h"
#include "adasample/features/match/match_geometry.h"

namespace adasample {

std::vector<Keypoint> detect_keypoints(const GrayImage&, const KeypointOptions&) {
  ADA_THROW(
      "[keypoints] this program was built without OpenCV and has no SIFT - take --detector dog where there is that "
      "option, "
      "or a list made elsewhere with 'adasample data keypoints'");
}

bool have_opencv() { return false; }

std::unique_ptr<Descriptor> make_sift_descriptor(bool root) {
  ADA_THROW("[sift] {} needs OpenCV, and this program was built without it - configure with -DADASAMPLE_OPENCV=ON",
            root ? "RootSIFT" : "SIFT");
}

std::unique_ptr<Descriptor> make_orb_descriptor() {
  ADA_THROW("[orb] ORB needs OpenCV, and this program was built without it - configure with -DADASAMPLE_OPENCV=ON");
}

HomographyEstimator make_homography_estimator() { return nullptr; }

std::optional<MatchGeometry> estimate_geometry(std::span<const Point2> /*first*/, std::span<const Point2> /*second*/,
                                               const GeometryOptions& options) {
  if (options.kind == Geometry::kNone) return std::nullopt;
  ADA_THROW("[geometry] this program was built without OpenCV, which estimates it - give --geometry none");
}

std::string draw_matches(const GrayImage& /*first*/, const GrayImage& /*second*/,
                         const std::vector<MatchBand>& /*bands*/, const DrawingOptions& /*options*/) {
  ADA_THROW("[match] this program was built without OpenCV, which draws - leave --out away");
}

}  // namespace adasample
