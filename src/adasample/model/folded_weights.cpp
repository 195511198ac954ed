// SPDX-License-Identifier: Apache-2.0
#include "adasample/model/folded_weights.h"

#include <algorithm>
#include <cmath>

#include "adasample/base/bytes/finite.h"
#include "adasample/base/error.h"
#include "adasample/base/parallel.h"

namespace adasample {

std::vector<FoldedLayer> fold_batch_norm(const Weights& weights, const LayerTable& table) {
  weights.check_against(table);
  std::vector<FoldedLayer> folded;
  for (const ConvLayer& shape : table.layers) {
    FoldedLayer layer{shape, weights.at(table.conv_weight(shape)).values, {}};
    const auto &mean = weights.at(table.running_mean(shape)).values,
               &variance = weights.at(table.running_var(shape)).values;
    const size_t fan_in = layer.weight.size() / mean.size();
    layer.bias.resize(mean.size());
    parallel_for(std::ssize(mean), [&](int64_t channel) {  // training folds in every iteration
      const auto o = static_cast<size_t>(channel);
      const double scale = 1 / std::sqrt(variance[o] + table.batch_norm_epsilon);
      float* weight = layer.weight.data() + o * fan_in;
      for (size_t i = 0; i < fan_in; ++i) weight[i] = static_cast<float>(weight[i] * scale);
      layer.bias[o] = static_cast<float>(-mean[o] * scale);
    });
    const size_t bad = std::min(first_not_finite(layer.bias), first_not_finite(layer.weight) / fan_in);
    ADA_CHECK(bad == mean.size(), "[weights] {}: channel {} is not finite once its batch norm is folded in",
              table.conv_weight(shape), bad);
    folded.push_back(std::move(layer));
  }
  return folded;
}

PatchMoments patch_moments(const uint8_t* patch, int size) {
  const int pixels = size * size;
  uint32_t sum = 0, squares = 0;
  for (int i = 0; i < pixels; ++i) {
    sum += patch[i];
    squares += uint32_t{patch[i]} * patch[i];
  }
  return {static_cast<double>(sum) / pixels,
          static_cast<double>(int64_t{pixels} * squares - int64_t{sum} * sum) / pixels};
}

void normalise_patch(const uint8_t* patch, int size, double epsilon, float* out) {
  const int pixels = size * size;
  const PatchMoments moments = patch_moments(patch, size);
  const double scale = 1 / (std::sqrt(moments.squares / (pixels - 1)) + epsilon);
  for (int i = 0; i < pixels; ++i) out[i] = static_cast<float>((patch[i] - moments.mean) * scale);
}

void normalise_descriptor(float* y, int dimension, double epsilon) {
  double sum = epsilon;
  for (int i = 0; i < dimension; ++i) sum += static_cast<double>(y[i]) * y[i];
  const auto scale = static_cast<float>(1 / std::sqrt(sum));
  for (int i = 0; i < dimension; ++i) y[i] *= scale;
}

}  // namespace adasample
