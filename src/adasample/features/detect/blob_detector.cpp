// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/detect/blob_detector.h"

#include <algorithm>
#include <cmath>

#include "adasample/base/error.h"

namespace adasample {
namespace {

bool clash(const Keypoint& a, const Keypoint& b, double min_distance) {
  const double larger = std::max(a.sigma, b.sigma), smaller = std::min(a.sigma, b.sigma);
  return larger <= 2 * smaller && std::hypot(a.x - b.x, a.y - b.y) < min_distance * larger;
}

}  // namespace

void BlobOptions::validate() const {
  ADA_USAGE(max_count >= 1, "BlobOptions::max_count = {}, must be >= 1", max_count);
  ADA_USAGE(min_distance >= 0, "BlobOptions::min_distance = {}, must be >= 0", min_distance);
  limits.validate();
}

std::vector<Keypoint> detect_blobs(const ScalePyramid& pyramid, const BlobOptions& options) {
  options.validate();
  std::vector<Keypoint> candidates = detect(*make_detector("hessian"), pyramid, options.limits);
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Keypoint& a, const Keypoint& b) { return a.strength > b.strength; });
  std::vector<Keypoint> kept;
  for (const Keypoint& blob : candidates) {
    if (kept.size() == static_cast<size_t>(options.max_count)) break;
    const auto clashes = [&](const Keypoint& other) { return clash(blob, other, options.min_distance); };
    if (std::none_of(kept.begin(), kept.end(), clashes)) kept.push_back(blob);
  }
  return kept;
}

}  // namespace adasample
