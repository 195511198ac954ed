// SPDX-License-Identifier: Apache-2.0
#include "adasample/model/layer_table.h"

#include <fmt/format.h>

namespace adasample {

std::string LayerTable::conv_weight(const ConvLayer& layer) const {
  return fmt::format("features.{}.weight", layer.sequence_index);
}
std::string LayerTable::running_mean(const ConvLayer& layer) const {
  return fmt::format("features.{}.running_mean", layer.sequence_index + 1);
}
std::string LayerTable::running_var(const ConvLayer& layer) const {
  return fmt::format("features.{}.running_var", layer.sequence_index + 1);
}
std::string LayerTable::batches_tracked(const ConvLayer& layer) const {
  return fmt::format("features.{}.num_batches_tracked", layer.sequence_index + 1);
}

int64_t LayerTable::weight_count() const {
  int64_t count = 0;
  for (const ConvLayer& l : layers) count += int64_t{l.in_channels} * l.out_channels * l.kernel * l.kernel;
  return count;
}

int64_t LayerTable::flops_per_patch() const {
  int64_t flops = 0;
  int64_t size = input_size;
  for (const ConvLayer& l : layers) {
    size = (size + 2 * l.padding - l.kernel) / l.stride + 1;
    flops += 2 * size * size * l.in_channels * l.out_channels * l.kernel * l.kernel;
  }
  return flops;
}

}  // namespace adasample
