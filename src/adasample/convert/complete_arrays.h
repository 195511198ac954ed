// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "adasample/model/weights.h"

namespace adasample {

// All arrays that the network's Python module has: counts of batches as 0 and epsilons as the table has them where they
// are missing, so that load_state_dict(strict=True) is content. Throws Error for weights that are not of the network
// their metadata name.
inline Weights complete_arrays(Weights weights) {
  const Network& network = weights.network();
  weights.check_against(network);
  for (const Tower& tower : network.towers) {
    const std::vector<PlaneShape> around = network.extents(tower);
    for (size_t i = 0; i < tower.layers.size(); ++i) {
      for (const NetArray& array : network.arrays(tower.layers[i], around[i])) {
        if (!array.may_be_missing()) continue;
        const bool count = array.role == NetArray::Role::kBatches;
        weights.arrays.insert({array.name, {array.shape, {count ? 0.f : static_cast<float>(tower.layers[i].epsilon)}}});
      }
    }
  }
  return weights;
}

}  // namespace adasample
