// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "adasample/features/opencv_part.h"
#include "adasample/features/use_opencv.h"

namespace adasample::testing {

// Takes OpenCV into use, and says whether the build has it.
inline bool have_opencv() {
  static const bool used = (use_opencv(), true);
  return used && opencv_part().estimate_geometry != nullptr;
}

}  // namespace adasample::testing
