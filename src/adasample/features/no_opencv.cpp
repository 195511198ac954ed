// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/describe/patch_descriptors.h"
#include "adasample/features/opencv_part.h"
#include "adasample/features/use_opencv.h"

namespace adasample {

// So that their names are known, and what they need.
void use_opencv() { register_patch_descriptors(nullptr); }

void share_threads_with_opencv() {}

}  // namespace adasample
