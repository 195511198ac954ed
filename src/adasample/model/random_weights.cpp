// SPDX-License-Identifier: Apache-2.0
#include "adasample/model/random_weights.h"

#include <cmath>
#include <utility>

#include "adasample/base/random/rng.h"

namespace adasample {

Weights random_weights(const Network& network, uint64_t seed) {
  using Role = NetArray::Role;
  Weights weights;
  weights.metadata["architecture"] = network.name;
  RngStream rng(RngKey(seed, Draw::kInit));
  NamedArray variance;  // drawn together with the means before it
  for (const NetArray& array : network.arrays()) {
    if (array.may_be_missing()) continue;
    int64_t count = 1;
    for (const int64_t extent : array.shape) count *= extent;
    NamedArray made{array.shape, {}};
    if (array.role == Role::kWeight) {
      const double deviation = std::sqrt(2.0 * static_cast<double>(array.shape[0]) / static_cast<double>(count));
      for (int64_t i = 0; i < count; ++i) made.values.push_back(static_cast<float>(deviation * rng.normal()));
    } else if (array.role == Role::kVariance) {
      made = std::move(variance);
    } else {
      if (array.role == Role::kMean) variance = {array.shape, {}};
      const bool scale = array.role == Role::kScale, threshold = array.role == Role::kThreshold;
      for (int64_t i = 0; i < count; ++i) {
        made.values.push_back(static_cast<float>(scale       ? rng.uniform(0.5, 1.5)
                                                 : threshold ? rng.uniform(-1, 0.2)
                                                             : rng.uniform(-0.2, 0.2)));
        if (array.role == Role::kMean) variance.values.push_back(static_cast<float>(rng.uniform(0.5, 1.5)));
      }
    }
    weights.arrays[array.name] = std::move(made);
  }
  return weights;
}

Weights random_weights(const LayerTable& table, uint64_t seed) {
  return random_weights(find_network(std::string(table.name)), seed);
}

}  // namespace adasample
