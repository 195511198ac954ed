// SPDX-License-Identifier: Apache-2.0
#include "adasample/model/layer_table.h"

#include <fmt/format.h>

namespace adasample {
namespace {

//                                  in  out  k  s  p  relu  dropout  index
constexpr ConvLayer kL2NetLayers[] = {{1, 32, 3, 1, 1, true, false, 0},    {32, 32, 3, 1, 1, true, false, 3},
                                      {32, 64, 3, 2, 1, true, false, 6},   {64, 64, 3, 1, 1, true, false, 9},
                                      {64, 128, 3, 2, 1, true, false, 12}, {128, 128, 3, 1, 1, true, false, 15},
                                      {128, 128, 8, 1, 0, false, true, 19}};

constexpr LayerTable kL2Net = {.name = "l2net",
                               .input_size = 32,
                               .descriptor_size = 128,
                               .batch_norm_epsilon = 1e-5,
                               .batch_norm_momentum = 0.1,
                               .input_epsilon = 1e-7,
                               .output_epsilon = 1e-10,
                               .dropout = 0.3,
                               .init_gain = 0.6,
                               .layers = kL2NetLayers};

}  // namespace

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

const LayerTable& l2net() { return kL2Net; }

}  // namespace adasample
