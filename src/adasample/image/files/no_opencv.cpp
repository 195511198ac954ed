// SPDX-License-Identifier: Apache-2.0
#include "adasample/image/files/images.h"

namespace adasample {

void register_opencv_pictures() {}

void silence_opencv() {}

}  // namespace adasample
