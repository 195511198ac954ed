// SPDX-License-Identifier: Apache-2.0
// The plain form of a network (model/network.h): convolutions without bias, each with batch norm, some with ReLU. Own
// kernels and fast engines are written for it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace adasample {

// One block: convolution without bias, batch norm without affine part, ReLU where `relu`.
struct ConvLayer {
  int in_channels;
  int out_channels;
  int kernel;
  int stride;
  int padding;
  bool relu;
  bool dropout_before;  // training only
  // Index of the convolution in HardNet's `features` sequence; the batch norm follows at + 1.
  int sequence_index;
};

struct LayerTable {
  std::string_view name;  // stored in the metadata of weights
  int input_size;         // patches are input_size x input_size
  int descriptor_size;
  double batch_norm_epsilon;
  double batch_norm_momentum;
  double input_epsilon;   // x <- (x - mean) / (unbiased std + input_epsilon), per patch
  double output_epsilon;  // y <- y / sqrt(sum y^2 + output_epsilon)
  double dropout;
  double init_gain;  // of the orthogonal initialisation
  std::span<const ConvLayer> layers;

  std::string conv_weight(const ConvLayer& layer) const;
  std::string running_mean(const ConvLayer& layer) const;
  std::string running_var(const ConvLayer& layer) const;
  std::string batches_tracked(const ConvLayer& layer) const;

  int64_t weight_count() const;
  // Multiply-adds times two of one forward pass over one patch, convolutions only.
  int64_t flops_per_patch() const;
};

// L2-Net in HardNet's layout: seven convolutions, 1,334,560 weights, 32x32 -> 128.
const LayerTable& l2net();

}  // namespace adasample
