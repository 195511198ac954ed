// SPDX-License-Identifier: Apache-2.0
// A network as it describes: batch norm folded into the convolutions before it.
#pragma once

#include <vector>

#include "adasample/model/layer_table.h"
#include "adasample/model/weights.h"

namespace adasample {

struct FoldedLayer {
  ConvLayer shape;
  std::vector<float> weight;  // (out, in, k, k)
  std::vector<float> bias;    // (out)
};

// w / s and -mean / s with s = sqrt(var + eps). Throws Error for weights of another architecture.
std::vector<FoldedLayer> fold_batch_norm(const Weights& weights, const LayerTable& table);

// Of the bytes of a patch: exact up to 256 x 256 of them.
struct PatchMoments {
  double mean, squares;  // squares: the sum of (x - mean)^2
};
PatchMoments patch_moments(const uint8_t* patch, int size);

// Per patch of size x size bytes (x - mean) / (unbiased std + epsilon).
void normalise_patch(const uint8_t* patch, int size, double epsilon, float* out);
// y / sqrt(sum y^2 + epsilon), in place.
void normalise_descriptor(float* y, int dimension, double epsilon);

}  // namespace adasample
