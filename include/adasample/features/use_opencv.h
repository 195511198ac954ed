// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace adasample {

// Takes OpenCV into use: its detectors (sift, orb, akaze, brisk), the descriptors sift, rootsift and orb, geometry and
// drawings of matches, and picture formats other than JPEG, PNG, PGM and BMP. To be called before them, once is enough;
// programs that need none of it start faster without. Does nothing in a build without OpenCV.
void use_opencv();

}  // namespace adasample
