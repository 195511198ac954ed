// SPDX-License-Identifier: Apache-2.0
#include "adasample/net/l2net.h"

#include "adasample/base/error.h"
#include "adasample/base/random/rng.h"
#include "adasample/net/dropout.h"

namespace adasample {
namespace nn = torch::nn;

at::Tensor normalise_patches(const at::Tensor& patches, const LayerTable& table) {
  at::Tensor x = patches.is_floating_point() ? patches : patches.to(at::kFloat);
  x = x.flatten(1);  // (m, S*S)
  const auto [variance, mean] = at::var_mean(x, /*dim=*/at::IntArrayRef{1}, /*unbiased=*/true, /*keepdim=*/true);
  x = (x - mean) / (variance.sqrt() + table.input_epsilon);
  return x.view({-1, 1, table.input_size, table.input_size}).contiguous(at::MemoryFormat::ChannelsLast);
}

at::Tensor normalise_descriptors(const at::Tensor& y, const LayerTable& table) {
  return y / (y.square().sum(1, /*keepdim=*/true) + table.output_epsilon).sqrt();
}

L2NetImpl::L2NetImpl(uint64_t seed, double dropout) : table_(&l2net()) {
  torch::manual_seed(RngKey(seed, Draw::kInit).bits());
  for (const ConvLayer& layer : table_->layers) {
    if (layer.dropout_before) features_->push_back(Dropout(dropout));
    ADA_ASSERT(static_cast<int>(features_->size()) == layer.sequence_index);
    nn::Conv2d conv(nn::Conv2dOptions(layer.in_channels, layer.out_channels, layer.kernel)
                        .stride(layer.stride)
                        .padding(layer.padding)
                        .bias(false));
    nn::init::orthogonal_(conv->weight, table_->init_gain);
    // Channels last is the layout that oneDNN and cuDNN are fastest in; inputs and activations follow the weights.
    conv->weight.set_data(conv->weight.contiguous(at::MemoryFormat::ChannelsLast));
    features_->push_back(conv);
    features_->push_back(nn::BatchNorm2d(nn::BatchNorm2dOptions(layer.out_channels)
                                             .eps(table_->batch_norm_epsilon)
                                             .momentum(table_->batch_norm_momentum)
                                             .affine(false)));
    if (layer.relu) features_->push_back(nn::ReLU(nn::ReLUOptions().inplace(true)));
  }
  register_module("features", features_);
}

at::Tensor L2NetImpl::forward(const at::Tensor& patches) {
  const at::Tensor x = normalise_patches(patches, *table_).to(features_->parameters().front().dtype());
  return normalise_descriptors(features_->forward(x).flatten(1), *table_);
}

Weights weights_of(const L2NetImpl& net) {
  Weights weights;
  weights.metadata["architecture"] = std::string(net.table().name);
  const auto add = [&](const std::string& name, const at::Tensor& tensor) {
    const at::Tensor host = tensor.detach().to(at::kCPU, at::kFloat).contiguous();
    const float* begin = host.data_ptr<float>();
    weights.arrays[name] = {host.sizes().vec(), {begin, begin + host.numel()}};
  };
  for (const auto& item : net.named_parameters()) add(item.key(), item.value());
  for (const auto& item : net.named_buffers()) add(item.key(), item.value());
  return weights;
}

void load_weights(L2NetImpl& net, const Weights& weights) {
  weights.check_against(net.table());
  torch::NoGradGuard no_grad;
  const auto copy = [&](const std::string& name, at::Tensor tensor) {
    const auto found = weights.arrays.find(name);
    if (found == weights.arrays.end()) return;  // only num_batches_tracked may be missing
    const NamedArray& array = found->second;
    tensor.copy_(at::from_blob(const_cast<float*>(array.values.data()), tensor.sizes(), at::kFloat));
  };
  for (auto& item : net.named_parameters()) copy(item.key(), item.value());
  for (auto& item : net.named_buffers()) copy(item.key(), item.value());
}

}  // namespace adasample
