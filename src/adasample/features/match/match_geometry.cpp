// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "adasample/base/error.h"
#include "adasample/features/match/match_geometry.h"

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

int fewest_matches(Geometry geometry) {
  for (const Kind& kind : kKinds) {
    if (geometry == kind.geometry) return kind.fewest;
  }
  ADA_THROW_KIND(kBug, "[bug] no such Geometry");
}

void GeometryOptions::validate() const {
  ADA_USAGE(threshold > 0 && threshold <= kLargestThreshold, "GeometryOptions::threshold = {}, must be in (0, {}]",
            threshold, kLargestThreshold);
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
