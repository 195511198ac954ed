// SPDX-License-Identifier: Apache-2.0
// Keypoints of one picture found again in another, of the same plane. One of the reference and one of the target are
// the same point when the target's region, mapped back by the homography (locally an affine map), overlaps the
// reference's, and each is the other's best.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "adasample/features/keypoint.h"
#include "adasample/image/homography.h"

namespace adasample {

// A keypoint of the reference found again in a target, and how far off.
struct RefoundKeypoint {
  size_t ref = 0, target = 0;  // indices of the keypoints
  double overlap = 0;          // of the inscribed discs of the two regions, intersection over union
  double turn = 0;             // degrees, of the target's orientation mapped back; -180 to 180
  double shift = 0;            // distance of the centres, in radii of the reference's disc
  double scale = 0;            // octaves
};

// By `ref`, no index twice. Of several of the same overlap that of the smaller turn is the better one.
std::vector<RefoundKeypoint> find_again(std::span<const Keypoint> ref, std::span<const Keypoint> target,
                                        const Homography& target_from_ref, double region_factor, double min_overlap);

}  // namespace adasample
