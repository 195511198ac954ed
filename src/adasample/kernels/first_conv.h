// SPDX-License-Identifier: Apache-2.0
// The first layer on a CPU: from bytes to (2, 32, 32, 16), channels in blocks of 16, with bias and ReLU, the patch normalised on the
// way. One input channel is what libraries are slow at.
#pragma once

#include <cstdint>
#include <vector>

#include "adasample/model/folded_weights.h"

namespace adasample {

class FirstConv {
 public:
  FirstConv(const FoldedLayer& layer, const LayerTable& table) : table_(&table) { refold(layer); }
  void refold(const FoldedLayer& layer);

  // patch: size x size bytes -> out: (2, size, size, 16).
  void run(const uint8_t* patch, float* out) const;

 private:
  const LayerTable* table_;
  std::vector<float> weights_;  // (9, 32), then the bias (32)
};

}  // namespace adasample
