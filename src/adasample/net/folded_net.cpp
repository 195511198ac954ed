// SPDX-License-Identifier: Apache-2.0
#include "adasample/net/folded_net.h"

#include <algorithm>

namespace adasample {
namespace {

// Activations of a chunk should stay small on a CPU; a GPU wants it large.
constexpr int64_t kCpuChunk = 256;

}  // namespace

void FoldedNet::refold(const NetImpl& net) {
  torch::NoGradGuard no_grad;
  net_ = &net;
  options_ = net.parameters().front().options().requires_grad(false);
  if (net.network().plain() == nullptr) return;
  const LayerTable* table = net.network().plain();
  const auto parameters = net.named_parameters();
  const auto buffers = net.named_buffers();
  weights_.clear();
  biases_.clear();
  for (const ConvLayer& layer : table->layers) {
    const at::Tensor weight = parameters[table->conv_weight(layer)];  // (out, in, k, k)
    const at::Tensor scale = (buffers[table->running_var(layer)] + table->batch_norm_epsilon).rsqrt();
    const at::ScalarType type = type_.value_or(weight.scalar_type());
    weights_.push_back((weight * scale.view({-1, 1, 1, 1})).to(type).contiguous(at::MemoryFormat::ChannelsLast));
    biases_.push_back((-buffers[table->running_mean(layer)] * scale).to(type));
  }
}

at::Tensor FoldedNet::embed_chunk(const at::Tensor& patches) const {
  const LayerTable* table = net_->network().plain();
  if (table == nullptr) return net_->describe(patches);
  at::Tensor x = normalise_patches(patches, *table).to(biases_.front().dtype());
  for (size_t i = 0; i < weights_.size(); ++i) {
    const ConvLayer& layer = table->layers[i];
    x = at::conv2d(x, weights_[i], biases_[i], {layer.stride, layer.stride}, {layer.padding, layer.padding});
    if (layer.relu) x = at::relu_(x);
  }
  return normalise_descriptors(x.flatten(1).to(options_), *table);
}

at::Tensor FoldedNet::embed(const at::Tensor& patches) const {
  torch::NoGradGuard no_grad;
  const int64_t count = patches.size(0);
  const int64_t chunk = patches.is_cpu() ? kCpuChunk : kGpuChunk;
  at::Tensor out = at::empty({count, net_->network().descriptor_size}, options_);
  for (int64_t begin = 0; begin < count; begin += chunk) {
    const int64_t length = std::min(chunk, count - begin);
    out.narrow(0, begin, length).copy_(embed_chunk(patches.narrow(0, begin, length)));
  }
  return out;
}

}  // namespace adasample
