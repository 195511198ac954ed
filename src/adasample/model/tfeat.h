// SPDX-License-Identifier: Apache-2.0
// TFeat (Balntas et al., BMVC 2016) in the layout of its published weights:
//   features.0  x <- (x - mean) / sqrt(biased variance + 1e-5), per patch of 32x32 bytes
//   features.1  convolution 1 -> 32, 7x7, with bias; tanh; the largest of 2x2
//   features.4  convolution 32 -> 64, 6x6, with bias; tanh
//   descr.0     linear 4096 -> 128, with bias; tanh. Rows are not of unit norm.
#pragma once

#include "adasample/model/weights.h"

namespace adasample {

inline constexpr const char* kTFeat = "tfeat";  // in the metadata of weights

// An array of the network; views into the weights.
struct TFeatLayer {
  const std::vector<float>&weight, &bias;
};
struct TFeatLayers {
  TFeatLayer first, second, last;
};

// Throws Error unless the arrays are exactly those above, of the right shapes and finite.
TFeatLayers tfeat_layers(const Weights& weights);

}  // namespace adasample
