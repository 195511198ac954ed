// SPDX-License-Identifier: Apache-2.0
// How much two regions of an image share: the area of their intersection over that of their union, 0 (apart) to 1
// (equal). It does not change when both regions go through one affine map.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "adasample/base/random/rng.h"
#include "adasample/features/keypoint.h"
#include "adasample/image/affine.h"

namespace adasample {

// Of two circles, in closed form. Requires radii > 0.
double circle_overlap(Point2 centre_a, double radius_a, Point2 centre_b, double radius_b);

// Of two ellipses, the images of the unit disc under `a` and `b`, to within 1e-3. Requires determinants != 0.
double ellipse_overlap(const Affine2& a, const Affine2& b);

// Walks through `order` (indices of keypoints) and keeps a keypoint unless the circle of `region_factor` sigmas around
// it overlaps that of one kept before by more than `max_overlap`. Returns the kept indices in the order of the walk: no
// two kept ones overlap by more, and each one left out overlaps a kept one that came before it.
std::vector<size_t> suppress_overlaps(std::span<const Keypoint> keypoints, std::span<const size_t> order,
                                      double region_factor, double max_overlap);

// Orders to walk in: the strongest of a cluster is kept, or a random member.
std::vector<size_t> strongest_first(std::span<const Keypoint> keypoints);  // of equals the first
std::vector<size_t> shuffled_order(size_t count, RngKey key);

}  // namespace adasample
