// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>
#include <opencv2/calib3d.hpp>

#include "adasample/features/opencv/opencv_functions.h"

namespace adasample {
namespace {

constexpr double kSupport = 3, kConfidence = 0.9999;
constexpr int kCandidates = 10000;

std::vector<cv::Point2d> to_opencv(std::span<const Point2> places) {
  std::vector<cv::Point2d> points;
  for (const Point2& p : places) points.emplace_back(p.x, p.y);
  return points;
}

// None unless it is one 3 x 3 matrix, finite and not all zero.
std::optional<std::array<double, 9>> entries_of(const cv::Mat& found) {
  if (found.rows != 3 || found.cols != 3) return std::nullopt;
  std::array<double, 9> entries;
  std::copy_n(found.ptr<double>(), entries.size(), entries.begin());
  const bool finite = std::all_of(entries.begin(), entries.end(), [](double v) { return std::isfinite(v); });
  const bool zero = std::all_of(entries.begin(), entries.end(), [](double v) { return v == 0; });
  if (!finite || zero) return std::nullopt;
  return entries;
}

std::optional<Homography> estimate(std::span<const Point2> ref, std::span<const Point2> target) {
  const auto entries = entries_of(cv::findHomography(to_opencv(ref), to_opencv(target), cv::RANSAC, kSupport,
                                                     cv::noArray(), kCandidates, kConfidence));
  return entries ? std::optional(Homography(*entries)) : std::nullopt;
}

std::optional<std::array<double, 9>> find_matrix(std::span<const Point2> first, std::span<const Point2> second,
                                                 const GeometryOptions& options) {
  const auto a = to_opencv(first), b = to_opencv(second);
  cv::Mat mask;
  auto entries = entries_of(
      options.kind == Geometry::kHomography
          ? cv::findHomography(a, b, cv::USAC_MAGSAC, options.threshold, mask, options.candidates, kConfidence)
          : cv::findFundamentalMat(a, b, cv::USAC_MAGSAC, options.threshold, kConfidence, options.candidates, mask));
  if (!entries) return std::nullopt;
  const double norm = std::sqrt(
      std::accumulate(entries->begin(), entries->end(), 0.0, [](double sum, double v) { return sum + v * v; }));
  for (double& v : *entries) v /= norm;
  return entries;
}

}  // namespace

HomographyEstimator make_opencv_homography_estimator() { return estimate; }

std::optional<MatchGeometry> estimate_geometry_by_opencv(std::span<const Point2> first, std::span<const Point2> second,
                                                         const GeometryOptions& options) {
  const auto matrix = find_matrix(first, second, options);
  if (!matrix) return std::nullopt;
  MatchGeometry geometry{.matrix = *matrix, .inliers = {}};
  // Counted here, so that the figure is what the matrix that is shown says.
  for (size_t i = 0; i < first.size(); ++i) {
    const double distance = squared_distance(options.kind, *matrix, first[i], second[i]);
    geometry.inliers.push_back(distance <= options.threshold * options.threshold);
  }
  return geometry;
}

}  // namespace adasample
