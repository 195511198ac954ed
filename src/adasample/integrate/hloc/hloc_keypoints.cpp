// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <numbers>

#include "adasample/base/error.h"
#include "adasample/integrate/hloc/hloc_h5.h"

namespace adasample {
namespace {

constexpr double kDegree = std::numbers::pi / 180;
constexpr double kSmallestScale = 1e-3, kLargest = 1e7;  // pixels, as in a keypoint list

}  // namespace

GivenKeypoints hloc_keypoints(std::span<const float> places, std::span<const float> scales, std::span<const float> oris,
                              const std::string& where) {
  const size_t count = places.size() / 2;
  ADA_ASSERT(places.size() == 2 * count);
  for (const auto& [numbers, what] : {std::pair(scales, "scales"), std::pair(oris, "oris")}) {
    ADA_CHECK(numbers.empty() || numbers.size() == count, "[hloc] {}: expected {} {}, a number a keypoint, found {}",
              where, count, what, numbers.size());
  }
  GivenKeypoints given{.keypoints = {}, .scaled = !scales.empty(), .oriented = !oris.empty()};
  for (size_t i = 0; i < count; ++i) {
    const Keypoint k = {.x = places[2 * i],
                        .y = places[2 * i + 1],
                        .sigma = given.scaled ? scales[i] : 0,
                        .angle = given.oriented ? oris[i] * kDegree : 0};
    ADA_CHECK(std::abs(k.x) <= kLargest && std::abs(k.y) <= kLargest && std::isfinite(k.angle) &&
                  (!given.scaled || (k.sigma >= kSmallestScale && k.sigma <= kLargest)),
              "[hloc] {}: keypoint {}: expected a place in the picture and a scale of {} to {}, found ({}, {}), scale "
              "{}, angle {}",
              where, i, kSmallestScale, kLargest, k.x, k.y, k.sigma, k.angle);
    given.keypoints.push_back(k);
  }
  return given;
}

}  // namespace adasample
