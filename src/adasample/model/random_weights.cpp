// SPDX-License-Identifier: Apache-2.0
#include "adasample/model/random_weights.h"

#include <cmath>
#include <utility>

#include "adasample/base/random/rng.h"

namespace adasample {

Weights random_weights(const LayerTable& table, uint64_t seed) {
  Weights weights;
  weights.metadata["architecture"] = table.name;
  RngStream rng(RngKey(seed, Draw::kInit));
  for (const ConvLayer& layer : table.layers) {
    const int64_t fan_in = int64_t{layer.in_channels} * layer.kernel * layer.kernel;
    const double deviation = std::sqrt(2.0 / static_cast<double>(fan_in));
    NamedArray weight{{layer.out_channels, layer.in_channels, layer.kernel, layer.kernel}, {}};
    NamedArray mean{{layer.out_channels}, {}};
    NamedArray variance{{layer.out_channels}, {}};
    for (int64_t i = 0; i < layer.out_channels * fan_in; ++i) {
      weight.values.push_back(static_cast<float>(deviation * rng.normal()));
    }
    for (int i = 0; i < layer.out_channels; ++i) {
      mean.values.push_back(static_cast<float>(rng.uniform(-0.2, 0.2)));
      variance.values.push_back(static_cast<float>(rng.uniform(0.5, 1.5)));
    }
    weights.arrays[table.conv_weight(layer)] = std::move(weight);
    weights.arrays[table.running_mean(layer)] = std::move(mean);
    weights.arrays[table.running_var(layer)] = std::move(variance);
  }
  return weights;
}

}  // namespace adasample
