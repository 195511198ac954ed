// SPDX-License-Identifier: Apache-2.0
#include "adasample/engine/reference_net.h"

#include <algorithm>
#include <utility>

#include "adasample/base/error.h"

namespace adasample {
namespace {

struct Activation {
  int channels, width;
  std::vector<float> values;  // (channels, width, width)
  float at(int c, int y, int x) const {
    return y < 0 || x < 0 || y >= width || x >= width ? 0.f : values[static_cast<size_t>((c * width + y) * width + x)];
  }
};

Activation convolve(const Activation& in, const FoldedLayer& layer) {
  const ConvLayer& s = layer.shape;
  const int width = (in.width + 2 * s.padding - s.kernel) / s.stride + 1;
  Activation out{s.out_channels, width, {}};
  for (int o = 0; o < s.out_channels; ++o) {
    for (int y = 0; y < width; ++y) {
      for (int x = 0; x < width; ++x) {
        double sum = layer.bias[static_cast<size_t>(o)];
        const float* w = &layer.weight[static_cast<size_t>(o * s.in_channels * s.kernel * s.kernel)];
        for (int i = 0; i < s.in_channels; ++i) {
          for (int v = 0; v < s.kernel; ++v) {
            for (int u = 0; u < s.kernel; ++u) {
              sum += double{*w++} * in.at(i, y * s.stride + v - s.padding, x * s.stride + u - s.padding);
            }
          }
        }
        out.values.push_back(static_cast<float>(s.relu ? std::max(sum, 0.0) : sum));
      }
    }
  }
  return out;
}

}  // namespace

ReferenceNet::ReferenceNet(std::vector<FoldedLayer> layers, const LayerTable& table)
    : layers_(std::move(layers)), table_(&table) {}

std::vector<float> ReferenceNet::activation(const uint8_t* patch, size_t index) const {
  ADA_ASSERT(index < layers_.size());
  const int size = table_->input_size;
  Activation x{1, size, std::vector<float>(static_cast<size_t>(size * size))};
  normalise_patch(patch, size, table_->input_epsilon, x.values.data());
  for (size_t i = 0; i <= index; ++i) x = convolve(x, layers_[i]);
  return x.values;
}

void ReferenceNet::describe(const uint8_t* patch, float* descriptor) const {
  const std::vector<float> y = activation(patch, layers_.size() - 1);
  std::copy(y.begin(), y.end(), descriptor);
  normalise_descriptor(descriptor, table_->descriptor_size, table_->output_epsilon);
}

}  // namespace adasample
