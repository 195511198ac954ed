// SPDX-License-Identifier: Apache-2.0
#include "adasample/engine/onednn/quantise.h"

#include <algorithm>
#include <cmath>

namespace adasample {

QuantisedLayer quantise(const FoldedLayer& layer, float source_step, float result_step) {
  QuantisedLayer q;
  q.weight.resize(layer.weight.size());
  const size_t fan_in = layer.weight.size() / layer.bias.size();
  for (size_t o = 0; o < layer.bias.size(); ++o) {
    const float* w = layer.weight.data() + o * fan_in;
    float largest = 0;
    for (size_t i = 0; i < fan_in; ++i) largest = std::max(largest, std::abs(w[i]));
    const float step = largest > 1e-30f ? largest / 127 : 1;  // a channel of zeros stays one
    for (size_t i = 0; i < fan_in; ++i) q.weight[o * fan_in + i] = static_cast<int8_t>(std::lround(w[i] / step));
    q.bias.push_back(layer.bias[o] / (step * source_step));
    q.multiplier.push_back(step * source_step / result_step);
  }
  return q;
}

}  // namespace adasample
