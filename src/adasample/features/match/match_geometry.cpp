// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "adasample/base/error.h"
#include "adasample/features/match/match_geometry.h"
#include "adasample/features/opencv_part.h"

namespace adasample {
namespace {

struct Kind {
  Geometry geometry;
  const char* name;
  int fewest;
};
constexpr Kind kKinds[] = {
    {Geometry::kFundamental, "fundamental", 8}, {Geometry::kHomography, "homography", 4}, {Geometry::kNone, "none", 0}};
constexpr double kLargestThreshold = 1000;  // pixels

const Kind& kind_of(Geometry geometry) {
  for (const Kind& kind : kKinds) {
    if (geometry == kind.geometry) return kind;
  }
  ADA_THROW_KIND(kBug, "[bug] no such Geometry");
}

}  // namespace

std::vector<std::string> geometry_names() {
  std::vector<std::string> names;
  for (const Kind& kind : kKinds) names.emplace_back(kind.name);
  return names;
}

Geometry geometry_from_name(std::string_view name) {
  for (const Kind& kind : kKinds) {
    if (name == kind.name) return kind.geometry;
  }
  ADA_THROW_KIND(kUsage, "geometry = \"{}\", must be one of {}", name, fmt::join(geometry_names(), ", "));
}

std::string name_of(Geometry geometry) { return kind_of(geometry).name; }

int fewest_matches(Geometry geometry) { return kind_of(geometry).fewest; }

void GeometryOptions::validate() const {
  ADA_USAGE(threshold > 0 && threshold <= kLargestThreshold, "GeometryOptions::threshold = {}, must be in (0, {}]",
            threshold, kLargestThreshold);
  ADA_USAGE(candidates > 0, "GeometryOptions::candidates = {}, must be > 0", candidates);
}

bool can_estimate_geometry() { return opencv_part().estimate_geometry != nullptr; }

HomographyEstimator make_homography_estimator() {
  const auto make = opencv_part().make_homography_estimator;
  return make == nullptr ? HomographyEstimator() : make();
}

std::optional<MatchGeometry> estimate_geometry(std::span<const Point2> first, std::span<const Point2> second,
                                               const GeometryOptions& options) {
  ADA_ASSERT(first.size() == second.size());
  options.validate();
  if (options.kind == Geometry::kNone) return std::nullopt;
  ADA_CHECK(can_estimate_geometry(),
            "[geometry] this program was built without OpenCV, which estimates it - give --geometry none");
  if (std::ssize(first) < fewest_matches(options.kind)) return std::nullopt;
  return opencv_part().estimate_geometry(first, second, options);
}

double squared_distance(Geometry kind, const std::array<double, 9>& m, Point2 p, Point2 q) {
  const double x = m[0] * p.x + m[1] * p.y + m[2], y = m[3] * p.x + m[4] * p.y + m[5],
               z = m[6] * p.x + m[7] * p.y + m[8];
  constexpr double kNowhere = std::numeric_limits<double>::infinity();
  if (kind == Geometry::kHomography) {
    if (z == 0) return kNowhere;
    return (x / z - q.x) * (x / z - q.x) + (y / z - q.y) * (y / z - q.y);
  }
  ADA_ASSERT(kind == Geometry::kFundamental);
  const double u = m[0] * q.x + m[3] * q.y + m[6], v = m[1] * q.x + m[4] * q.y + m[7];  // F' q
  const double residual = q.x * x + q.y * y + z, gradient = x * x + y * y + u * u + v * v;
  return gradient > 0 ? residual * residual / gradient : kNowhere;
}

}  // namespace adasample
