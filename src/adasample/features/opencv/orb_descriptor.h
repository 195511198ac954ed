// SPDX-License-Identifier: Apache-2.0
// ORB of a whole patch, by OpenCV: 256 comparisons of two spots each. A comparison is a number, 0 or 1 / 16, so that
// the squared Euclidean distance of two rows is their Hamming distance / 256: whoever ranks by one ranks by the other.
#pragma once

#include <memory>

#include "adasample/model/descriptor.h"

namespace adasample {

// Upright, like the patches.
std::unique_ptr<Descriptor> make_orb_descriptor();

}  // namespace adasample
