// SPDX-License-Identifier: Apache-2.0
// AHT (Eq. 15): the hinge triplet loss on squared angles.
#include "adasample/loss/triplet.h"

namespace adasample {

std::unique_ptr<Loss> make_angular_hinge_triplet(const LossOptions& options) {
  return std::make_unique<SquaredTriplet>(options, Metric::kAngular);
}

}  // namespace adasample
