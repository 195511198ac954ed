// SPDX-License-Identifier: Apache-2.0
// Weights of the right shapes and of a size that keeps activations near one.
#pragma once

#include <cmath>

#include "adasample/base/rng.h"
#include "adasample/model/weights.h"

namespace adasample::testing {

inline Weights made_weights(uint64_t seed) {
  Weights weights;
  RngStream rng(RngKey(seed, Draw::kInit));
  for (const ConvLayer& layer : l2net().layers) {
    const int64_t fan_in = int64_t{layer.in_channels} * layer.kernel * layer.kernel;
    NamedArray weight{{layer.out_channels, layer.in_channels, layer.kernel, layer.kernel}, {}};
    for (int64_t i = 0; i < layer.out_channels * fan_in; ++i) {
      weight.values.push_back(static_cast<float>(rng.normal() * std::sqrt(2.0 / static_cast<double>(fan_in))));
    }
    NamedArray mean{{layer.out_channels}, {}}, variance = mean;
    for (int i = 0; i < layer.out_channels; ++i) {
      mean.values.push_back(static_cast<float>(rng.uniform(-0.2, 0.2)));
      variance.values.push_back(static_cast<float>(rng.uniform(0.5, 1.5)));
    }
    weights.arrays[l2net().conv_weight(layer)] = weight;
    weights.arrays[l2net().running_mean(layer)] = mean;
    weights.arrays[l2net().running_var(layer)] = variance;
  }
  return weights;
}

}  // namespace adasample::testing
