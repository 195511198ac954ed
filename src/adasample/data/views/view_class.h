// SPDX-License-Identifier: Apache-2.0
// A class out of one spot of one picture: K jittered views of it.
#pragma once

#include <cstdint>
#include <vector>

#include "adasample/data/view_options.h"
#include "adasample/data/views/views.h"
#include "adasample/features/keypoint.h"

namespace adasample {

using PatchClass = std::vector<uint8_t>;  // (views, size, size)

// Empty when a view leaves the image, or a view or the spot itself is flat. A pure function of its arguments.
PatchClass cut_view_class(const ScalePyramid& pyramid, const Keypoint& keypoint, RngKey key,
                          const ViewClassOptions& options);

// How hard each view is, for the store: the same in every class.
std::vector<float> view_strengths(const ViewClassOptions& options);

}  // namespace adasample
