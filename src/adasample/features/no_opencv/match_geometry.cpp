// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/match/match_geometry.h"

#include "adasample/base/error.h"

namespace adasample {

HomographyEstimator make_homography_estimator() { return nullptr; }

std::optional<MatchGeometry> estimate_geometry(std::span<const Point2> /*first*/, std::span<const Point2> /*second*/,
                                               const GeometryOptions& options) {
  if (options.kind == Geometry::kNone) return std::nullopt;
  ADA_THROW("[geometry] this program was built without OpenCV, which estimates it - give --geometry none");
}

}  // namespace adasample
