// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "adasample/model/weights.h"

namespace adasample {

// The arrays that a HardNet of today's PyTorch has: num_batches_tracked as 0 where it is missing, so that
// load_state_dict(strict=True) is content. Throws Error for weights of another architecture than l2net.
inline Weights hardnet_arrays(Weights weights) {
  const LayerTable& table = l2net();
  weights.check_against(table);
  for (const ConvLayer& layer : table.layers) weights.arrays.insert({table.batches_tracked(layer), {{}, {0.f}}});
  return weights;
}

}  // namespace adasample
