// SPDX-License-Identifier: Apache-2.0
// The network in plain loops with sums in double: slow, and what every other way of running it is compared with.
#pragma once

#include <cstdint>
#include <vector>

#include "adasample/model/folded_weights.h"

namespace adasample {

class ReferenceNet {
 public:
  ReferenceNet(std::vector<FoldedLayer> layers, const LayerTable& table);

  // One patch of bytes -> one unit descriptor.
  void describe(const uint8_t* patch, float* descriptor) const;

  // What layer `index` gives for the patch, (channels, width, width).
  std::vector<float> activation(const uint8_t* patch, size_t index) const;

 private:
  std::vector<FoldedLayer> layers_;
  const LayerTable* table_;
};

}  // namespace adasample
