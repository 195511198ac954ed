// SPDX-License-Identifier: Apache-2.0
#include "adasample/cli/hand_over.h"
#include "adasample/features/opencv_part.h"
#include "adasample/features/use_opencv.h"
#include "adasample/image/files/images.h"

namespace adasample {

void register_opencv_part() {
  use_opencv();
  silence_opencv();
  share_threads_with_opencv();
}

}  // namespace adasample
