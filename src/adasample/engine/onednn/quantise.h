// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "adasample/model/folded_weights.h"

namespace adasample {

// A layer in int8: y / result_step = relu(sum_i q_i weight_oi + bias_o) multiplier_o, with q the input in source_steps.
struct QuantisedLayer {
  std::vector<int8_t> weight;  // (out, in, k, k), within -127..127
  std::vector<float> bias;     // (out)
  std::vector<float> multiplier;
};

QuantisedLayer quantise(const FoldedLayer& layer, float source_step, float result_step);

}  // namespace adasample
