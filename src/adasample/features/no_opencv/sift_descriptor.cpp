// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/describe/sift_descriptor.h"

#include "adasample/base/error.h"

namespace adasample {

bool have_opencv() { return false; }

std::unique_ptr<Descriptor> make_sift_descriptor(bool root) {
  ADA_THROW("[sift] {} needs OpenCV, and this program was built without it - configure with -DADASAMPLE_OPENCV=ON",
            root ? "RootSIFT" : "SIFT");
}

}  // namespace adasample
