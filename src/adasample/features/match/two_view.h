// SPDX-License-Identifier: Apache-2.0
// What two pictures' matches say of the two cameras, sorted into COLMAP's kinds and by its rules: which of an essential
// matrix, a fundamental matrix and a homography explains them. Estimated by OpenCV's USAC with fixed seeds.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "adasample/image/affine.h"

namespace adasample {

// As OpenCV has them, pixel centres at integers.
struct CameraIntrinsics {
  double fx = 0, fy = 0, cx = 0, cy = 0;
  std::array<double, 8> distortion{};  // k1 k2 p1 p2 k3 k4 k5 k6
};

// Of two cameras whose intrinsics are known.
struct RelativePose {
  std::array<double, 9> essential{};    // row-major: y2' E y1 = 0 for directions y = (x, y, 1)
  std::array<double, 9> rotation{};     // row-major, second from first
  std::array<double, 3> translation{};  // second from first, of norm 1
  std::vector<bool> inliers;            // of the matches
};

// COLMAP's numbers.
enum class TwoViewKind : int {
  kUndefined = 0,
  kDegenerate = 1,         // nothing explains the matches
  kCalibrated = 2,         // an essential matrix
  kUncalibrated = 3,       // a fundamental matrix
  kPlanarOrPanoramic = 6,  // a homography: a plane, or a camera that only turns
};
const char* name_of(TwoViewKind kind);

struct TwoViewOptions {
  double threshold = 4;       // pixels, as COLMAP's max_error
  int min_inliers = 15;       // fewer explain nothing
  double min_e_share = 0.95;  // of F's inliers that E must have, to trust the intrinsics
  double max_h_share = 0.8;   // of the inliers that a homography may have, before it is taken for the better answer

  void validate() const;
};

struct TwoView {
  TwoViewKind kind = TwoViewKind::kDegenerate;
  std::vector<uint32_t> inliers;                                            // which matches; empty for kDegenerate
  std::optional<std::array<double, 9>> fundamental, essential, homography;  // row-major, second from first
};

// `first` and `second`: the matches' places in pixels, the more trusted ones first or not, as they come. Intrinsics may
// be null: not known. Throws Error where the program has no OpenCV.
TwoView estimate_two_view(std::span<const Point2> first, std::span<const Point2> second,
                          const CameraIntrinsics* first_camera, const CameraIntrinsics* second_camera,
                          const TwoViewOptions& options);

// The pose alone: none for fewer than five matches, and where nothing was found. An inlier lies within `threshold`
// pixels (of the mean focal length) by the Sampson distance.
std::optional<RelativePose> estimate_pose(std::span<const Point2> first, std::span<const Point2> second,
                                          const CameraIntrinsics& first_camera, const CameraIntrinsics& second_camera,
                                          double threshold);

}  // namespace adasample
