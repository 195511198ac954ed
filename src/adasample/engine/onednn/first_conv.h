// SPDX-License-Identifier: Apache-2.0
// The first layer on a CPU, from bytes: the patch is normalised on the way, bias and ReLU are in. One input channel is
// what libraries are slow at.
#pragma once

#include <cstdint>
#include <vector>

#include "adasample/model/folded_weights.h"

namespace adasample {

class FirstConv {
 public:
  // Whose instructions it runs; the caller knows what the machine has.
  enum class Machine { kAny, kAvx2, kAvx512 };

  FirstConv(const LayerTable& table, Machine machine) : table_(&table), machine_(machine) {}
  // What comes out is in steps of `step`.
  void refold(const FoldedLayer& layer, float step);

  enum class Layout { kChannelsLast, kBlocks };  // (size, size, 32) or (2, size, size, 16)

  // patch: size x size bytes. Bytes come out channels last, rounded and cut off at 255.
  void run(const uint8_t* patch, float* out, Layout layout) const;
  void run(const uint8_t* patch, uint8_t* out) const;

 private:
  const LayerTable* table_;
  Machine machine_;
  std::vector<float> weights_;  // (9, 32), then the bias (32)
};

}  // namespace adasample
