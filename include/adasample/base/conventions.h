// SPDX-License-Identifier: Apache-2.0
// Conventions, written once.
//  - A patch is uint8, row-major, stride == width; a set of patches is [N, S, S]; the network reads S = 32
//  (kPatchSize).
//  - Pixel centres lie at integers: pixel (x, y) covers [x-1/2, x+1/2] x [y-1/2, y+1/2]; an image spans [-1/2, w-1/2].
//  - x grows to the right, y downwards; angles turn clockwise as seen, from the +x axis, in radians unless a name says
//  deg.
//  - Transforms are named target_from_source: image_from_patch maps patch coordinates to image coordinates.
//  - A descriptor is float32 [N, kDescriptorSize], each row of Euclidean norm 1; "class" = all patches of one 3D point.
//  - Rates and scores are fractions in [0, 1]; distances say which: angle in radians or Euclidean.
#pragma once

namespace adasample {

inline constexpr int kPatchSize = 32;
inline constexpr int kPatchArea = kPatchSize * kPatchSize;
inline constexpr int kDescriptorSize = 128;

// The measurement region is the square around a keypoint whose half width is this many sigmas, turned to its angle.
// SIFT's own is 6 (four bins of three sigmas each); HPatches took 5.
inline constexpr double kSiftRegion = 6;
inline constexpr double kHpatchesRegion = 5;

}  // namespace adasample
