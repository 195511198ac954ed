// SPDX-License-Identifier: Apache-2.0
// The classical baselines: SIFT and RootSIFT of a whole patch, by OpenCV; one upright keypoint sits at the patch's
// centre. SIFT is scaled to unit Euclidean norm. RootSIFT (Arandjelovic and Zisserman, CVPR 2012) is the square root of
// the L1-normalised SIFT, which has unit Euclidean norm too.
#pragma once

#include <memory>

#include "adasample/model/descriptor.h"

namespace adasample {

// `root`: RootSIFT instead of SIFT. A patch without any gradient becomes the zero vector. Patches are shared out over
// thread_count() threads, for which OpenCV's own threads are switched off in the whole process.
// describe() throws Error for patches smaller than 8x8.
std::unique_ptr<Descriptor> make_sift_descriptor(bool root);

}  // namespace adasample
