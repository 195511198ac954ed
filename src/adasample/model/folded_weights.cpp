// SPDX-License-Identifier: Apache-2.0
#include "adasample/model/folded_weights.h"

#include <algorithm>
#include <cmath>

#include "adasample/base/error.h"

namespace adasample {

std::vector<FoldedLayer> fold_batch_norm(const Weights& weights, const LayerTable& table) {
  weights.check_against(table);
  std::vector<FoldedLayer> folded;
  for (const ConvLayer& shape : table.layers) {
    FoldedLayer layer{shape, weights.at(table.conv_weight(shape)).values, {}};
    const auto &mean = weights.at(table.running_mean(shape)).values,
               &variance = weights.at(table.running_var(shape)).values;
    const size_t fan_in = layer.weight.size() / mean.size();
    for (size_t o = 0; o < mean.size(); ++o) {
      const double scale = 1 / std::sqrt(variance[o] + table.batch_norm_epsilon);
      for (size_t i = o * fan_in; i < (o + 1) * fan_in; ++i)
        layer.weight[i] = static_cast<float>(layer.weight[i] * scale);
      layer.bias.push_back(static_cast<float>(-mean[o] * scale));
      ADA_CHECK(std::isfinite(layer.bias.back()) &&
                    std::all_of(layer.weight.begin() + static_cast<std::ptrdiff_t>(o * fan_in),
                                layer.weight.begin() + static_cast<std::ptrdiff_t>((o + 1) * fan_in),
                                [](float w) { return std::isfinite(w); }),
                "[weights] {}: channel {} is not finite once its batch norm is folded in", table.conv_weight(shape), o);
    }
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
