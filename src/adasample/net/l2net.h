// SPDX-License-Identifier: Apache-2.0
// L2-Net as a Torch module, built from the layer table: (m, 32, 32) grey patches -> (m, 128) unit descriptors.
// Parameter and buffer names are HardNet's: features.0.weight, features.1.running_mean, ...
#pragma once

#include <torch/torch.h>

#include "adasample/model/layer_table.h"
#include "adasample/model/weights.h"

namespace adasample {

// Per patch (x - mean) / (unbiased std + epsilon), then a channel dimension: (m, S, S) -> (m, 1, S, S).
at::Tensor normalise_patches(const at::Tensor& patches, const LayerTable& table);

// y / sqrt(sum y^2 + epsilon) by row. (m, D)
at::Tensor normalise_descriptors(const at::Tensor& y, const LayerTable& table);

class L2NetImpl : public torch::nn::Module {
 public:
  // Orthogonal initialisation from `seed`; dropout as in the table unless given.
  explicit L2NetImpl(uint64_t seed, double dropout = l2net().dropout);

  // patches: (m, S, S), uint8 or floating. Training or evaluation mode as the module is set.
  at::Tensor forward(const at::Tensor& patches);

  const LayerTable& table() const { return *table_; }

 private:
  const LayerTable* table_;
  torch::nn::Sequential features_;
};
TORCH_MODULE(L2Net);

// Copies of the module's arrays on the host, and the way back (checked against the layer table).
Weights weights_of(const L2NetImpl& net);
void load_weights(L2NetImpl& net, const Weights& weights);

}  // namespace adasample
