// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/match/two_view.h"

#include <algorithm>

#include "adasample/base/error.h"
#include "adasample/features/match/match_geometry.h"
#include "adasample/features/opencv_part.h"

namespace adasample {
namespace {

std::vector<uint32_t> numbers_of(const std::vector<bool>& inliers) {
  std::vector<uint32_t> numbers;
  for (size_t i = 0; i < inliers.size(); ++i) {
    if (inliers[i]) numbers.push_back(static_cast<uint32_t>(i));
  }
  return numbers;
}

std::vector<Point2> chosen(std::span<const Point2> places, const std::vector<uint32_t>& which) {
  std::vector<Point2> some;
  for (const uint32_t i : which) some.push_back(places[i]);
  return some;
}

// A homography of the matches that another geometry explains, and all matches that it explains itself. If it explains
// four in five of those, a few dozen samples find it; if not, nobody asks for it.
std::optional<MatchGeometry> plane_among(std::span<const Point2> first, std::span<const Point2> second,
                                         const std::vector<uint32_t>& explained, double threshold) {
  const auto found = estimate_geometry(chosen(first, explained), chosen(second, explained),
                                       {.kind = Geometry::kHomography, .threshold = threshold, .candidates = 200});
  if (!found) return std::nullopt;
  MatchGeometry plane{.matrix = found->matrix, .inliers = {}};
  for (size_t i = 0; i < first.size(); ++i) {
    plane.inliers.push_back(squared_distance(Geometry::kHomography, plane.matrix, first[i], second[i]) <=
                            threshold * threshold);
  }
  return plane;
}

}  // namespace

const char* name_of(TwoViewKind kind) {
  switch (kind) {
    case TwoViewKind::kUndefined:
      return "undefined";
    case TwoViewKind::kDegenerate:
      return "degenerate";
    case TwoViewKind::kCalibrated:
      return "calibrated";
    case TwoViewKind::kUncalibrated:
      return "uncalibrated";
    case TwoViewKind::kPlanarOrPanoramic:
      return "planar or panoramic";
  }
  ADA_THROW_KIND(kBug, "[bug] no such TwoViewKind");
}

void TwoViewOptions::validate() const {
  GeometryOptions{.threshold = threshold}.validate();
  ADA_USAGE(min_inliers >= 8 && min_inliers <= 100000, "TwoViewOptions::min_inliers = {}, must be 8 to 100000",
            min_inliers);
  for (const double share : {min_e_share, max_h_share}) {
    ADA_USAGE(share > 0 && share <= 1, "TwoViewOptions: a share of {}, must be in (0, 1]", share);
  }
}

std::optional<RelativePose> estimate_pose(std::span<const Point2> first, std::span<const Point2> second,
                                          const CameraIntrinsics& first_camera, const CameraIntrinsics& second_camera,
                                          double threshold) {
  constexpr int64_t kFewest = 5;
  ADA_ASSERT(first.size() == second.size());
  ADA_CHECK(opencv_part().estimate_pose != nullptr,
            "[geometry] this program was built without OpenCV, which estimates poses");
  if (std::ssize(first) < kFewest) return std::nullopt;
  return opencv_part().estimate_pose(first, second, first_camera, second_camera, threshold);
}

TwoView estimate_two_view(std::span<const Point2> first, std::span<const Point2> second,
                          const CameraIntrinsics* first_camera, const CameraIntrinsics* second_camera,
                          const TwoViewOptions& options) {
  options.validate();
  TwoView view;
  const auto enough = [&](size_t inliers) { return inliers >= static_cast<size_t>(options.min_inliers); };
  if (!enough(first.size())) return view;
  const auto epipolar = estimate_geometry(first, second, {.threshold = options.threshold});
  if (!epipolar) return view;
  const std::vector<uint32_t> by_f = numbers_of(epipolar->inliers);
  if (!enough(by_f.size())) return view;
  view.kind = TwoViewKind::kUncalibrated;
  view.inliers = by_f;
  view.fundamental = epipolar->matrix;
  if (first_camera != nullptr && second_camera != nullptr) {
    const auto pose = estimate_pose(first, second, *first_camera, *second_camera, options.threshold);
    const std::vector<uint32_t> by_e = pose ? numbers_of(pose->inliers) : std::vector<uint32_t>();
    if (enough(by_e.size()) &&
        static_cast<double>(by_e.size()) >= options.min_e_share * static_cast<double>(by_f.size())) {
      view.kind = TwoViewKind::kCalibrated;
      view.inliers = by_e;
      view.essential = pose->essential;
    }
  }
  const auto plane = plane_among(first, second, view.inliers, options.threshold);
  if (!plane) return view;
  const std::vector<uint32_t> by_h = numbers_of(plane->inliers);
  view.homography = plane->matrix;
  if (static_cast<double>(by_h.size()) > options.max_h_share * static_cast<double>(view.inliers.size())) {
    view.kind = TwoViewKind::kPlanarOrPanoramic;
    if (by_h.size() > view.inliers.size()) view.inliers = by_h;
  }
  return view;
}

}  // namespace adasample
