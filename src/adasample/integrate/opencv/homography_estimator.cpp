// SPDX-License-Identifier: Apache-2.0
#include "adasample/integrate/homography_estimator.h"

#include <algorithm>
#include <cmath>
#include <opencv2/calib3d.hpp>

namespace adasample {
namespace {

constexpr double kSupport = 3, kConfidence = 0.9999;
constexpr int kCandidates = 10000;

std::vector<cv::Point2d> to_opencv(std::span<const Point2> places) {
  std::vector<cv::Point2d> points;
  for (const Point2& p : places) points.emplace_back(p.x, p.y);
  return points;
}

std::optional<Homography> estimate(std::span<const Point2> ref, std::span<const Point2> target) {
  const cv::Mat found = cv::findHomography(to_opencv(ref), to_opencv(target), cv::RANSAC, kSupport, cv::noArray(),
                                           kCandidates, kConfidence);
  if (found.empty()) return std::nullopt;
  std::array<double, 9> entries;
  std::copy_n(found.ptr<double>(), entries.size(), entries.begin());
  const bool finite = std::all_of(entries.begin(), entries.end(), [](double v) { return std::isfinite(v); });
  const bool zero = std::all_of(entries.begin(), entries.end(), [](double v) { return v == 0; });
  if (!finite || zero) return std::nullopt;
  return Homography(entries);
}

}  // namespace

HomographyEstimator make_homography_estimator() { return estimate; }

}  // namespace adasample
