// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/describe/orb_descriptor.h"

#include "adasample/base/error.h"

namespace adasample {

std::unique_ptr<Descriptor> make_orb_descriptor() {
  ADA_THROW("[orb] ORB needs OpenCV, and this program was built without it - configure with -DADASAMPLE_OPENCV=ON");
}

}  // namespace adasample
