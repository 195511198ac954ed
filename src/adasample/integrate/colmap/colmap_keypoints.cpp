// SPDX-License-Identifier: Apache-2.0
#include "adasample/integrate/colmap/colmap_keypoints.h"

#include <cmath>
#include <cstring>

#include "adasample/base/error.h"

namespace adasample {
namespace {

constexpr int64_t kPlace = 2, kSimilar = 4, kAffine = 6;  // columns
constexpr double kSmallestSigma = 0.01, kLargestSigma = 1e5, kLargestCoordinate = 1e6;

bool is_identity(const float* a) { return a[0] == 1 && a[1] == 0 && a[2] == 0 && a[3] == 1; }

bool knows_no_scale(std::span<const float> rows, int64_t columns) {
  if (columns == kPlace) return true;
  if (columns != kAffine) return false;
  for (size_t i = 0; i < rows.size(); i += kAffine) {
    if (!is_identity(rows.data() + i + 2)) return false;
  }
  return true;
}

Keypoint keypoint_of(const float* row, int64_t columns) {
  Keypoint k;
  k.x = row[0] - 0.5;
  k.y = row[1] - 0.5;
  if (columns == kSimilar) {
    k.sigma = row[2];
    k.angle = row[3];
  } else if (columns == kAffine) {
    const double a11 = row[2], a12 = row[3], a21 = row[4], a22 = row[5];
    k.sigma = 0.5 * (std::hypot(a11, a21) + std::hypot(a12, a22));
    k.angle = std::atan2(a21, a11);
  }
  return k;
}

}  // namespace

std::vector<Keypoint> colmap_keypoints(std::span<const float> rows, int64_t columns, const std::string& where) {
  ADA_CHECK(columns == kPlace || columns == kSimilar || columns == kAffine,
            "[colmap] {}: expected keypoints of 2, 4 or 6 columns, found {}", where, columns);
  ADA_ASSERT(rows.size() % static_cast<size_t>(columns) == 0);
  const bool places_only = knows_no_scale(rows, columns);
  std::vector<Keypoint> keypoints;
  keypoints.reserve(rows.size() / static_cast<size_t>(columns));
  for (size_t i = 0; i < rows.size(); i += static_cast<size_t>(columns)) {
    Keypoint k = keypoint_of(rows.data() + i, columns);
    if (places_only) k.sigma = 0;
    ADA_CHECK(std::abs(k.x) < kLargestCoordinate && std::abs(k.y) < kLargestCoordinate && std::isfinite(k.angle) &&
                  (places_only || (k.sigma >= kSmallestSigma && k.sigma <= kLargestSigma)),
              "[colmap] {}: keypoint {}: expected a place in the photograph and a scale of {} to {}, found ({}, {}), "
              "scale {}, orientation {}",
              where, keypoints.size(), kSmallestSigma, kLargestSigma, k.x, k.y, k.sigma, k.angle);
    keypoints.push_back(k);
  }
  return keypoints;
}

std::vector<Keypoint> colmap_keypoints(int64_t rows, int64_t columns, std::span<const uint8_t> data,
                                       const std::string& where) {
  constexpr int64_t kMost = int64_t{1} << 30;  // keeps the product below from overflowing
  ADA_CHECK(rows >= 0 && columns >= 1 && rows < kMost && columns < kMost &&
                std::ssize(data) == rows * columns * static_cast<int64_t>(sizeof(float)),
            "[colmap] {}: expected {} x {} floats, found {} bytes", where, rows, columns, data.size());
  std::vector<float> values(static_cast<size_t>(rows * columns));
  if (!values.empty()) std::memcpy(values.data(), data.data(), data.size());
  return colmap_keypoints(values, columns, where);
}

std::vector<float> colmap_keypoint_rows(std::span<const Keypoint> keypoints) {
  std::vector<float> rows;
  rows.reserve(keypoints.size() * kAffine);
  for (const Keypoint& k : keypoints) {
    const double c = k.sigma * std::cos(k.angle), s = k.sigma * std::sin(k.angle);
    for (const double value : {k.x + 0.5, k.y + 0.5, c, -s, s, c}) rows.push_back(static_cast<float>(value));
  }
  return rows;
}

}  // namespace adasample
