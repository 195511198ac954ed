// SPDX-License-Identifier: Apache-2.0
// HT: the hinge triplet loss on squared Euclidean distances.
#include "adasample/loss/triplet.h"

namespace adasample {

std::unique_ptr<Loss> make_hinge_triplet(const LossOptions& options) {
  return std::make_unique<SquaredTriplet>(options, Metric::kEuclidean);
}

}  // namespace adasample
