// SPDX-License-Identifier: Apache-2.0
#include "adasample/net/folded_net.h"

#include "adasample/base/error.h"

namespace adasample {
namespace {

// A chunk's largest activation (32 channels of 32x32) should stay in the cache of one core on a CPU; a GPU wants it large.
constexpr int64_t kCpuChunk = 32;
constexpr int64_t kGpuChunk = 16384;

}  // namespace

void FoldedNet::refold(const L2NetImpl& net) {
  torch::NoGradGuard no_grad;
  table_ = &net.table();
  const auto parameters = net.named_parameters();
  const auto buffers = net.named_buffers();
  weights_.clear();
  biases_.clear();
  for (const ConvLayer& layer : table_->layers) {
    const at::Tensor weight = parameters[table_->conv_weight(layer)];  // (out, in, k, k)
    const at::Tensor scale = (buffers[table_->running_var(layer)] + table_->batch_norm_epsilon).rsqrt();
    blocked_ = weight.is_cpu() && weight.scalar_type() == at::kFloat && at::globalContext().userEnabledMkldnn() &&
               at::hasMKLDNN();
    at::Tensor folded = (weight * scale.view({-1, 1, 1, 1})).contiguous();
    if (blocked_) {
      folded = at::mkldnn_reorder_conv2d_weight(folded.to_mkldnn(), {layer.padding, layer.padding},
                                                {layer.stride, layer.stride}, {1, 1}, /*groups=*/1);
    }
    weights_.push_back(folded);
    biases_.push_back(-buffers[table_->running_mean(layer)] * scale);
  }
}

at::Tensor FoldedNet::embed_chunk(const at::Tensor& patches) const {
  at::Tensor x = normalise_patches(patches, *table_).to(biases_.front().dtype());
  if (blocked_) x = x.to_mkldnn();
  for (size_t i = 0; i < weights_.size(); ++i) {
    const ConvLayer& layer = table_->layers[i];
    x = blocked_ ? at::mkldnn_convolution(x, weights_[i], biases_[i], {layer.padding, layer.padding},
                                          {layer.stride, layer.stride}, {1, 1}, /*groups=*/1)
                 : at::conv2d(x, weights_[i], biases_[i], {layer.stride, layer.stride}, {layer.padding, layer.padding});
    if (layer.relu) x = at::relu_(x);
  }
  if (blocked_) x = x.to_dense();
  return normalise_descriptors(x.flatten(1), *table_);
}

at::Tensor FoldedNet::embed(const at::Tensor& patches) const {
  torch::NoGradGuard no_grad;
  const int64_t count = patches.size(0);
  const int64_t chunk = patches.is_cpu() ? kCpuChunk : kGpuChunk;
  at::Tensor out = at::empty({count, table_->descriptor_size}, biases_.front().options());
  for (int64_t begin = 0; begin < count; begin += chunk) {
    const int64_t length = std::min(chunk, count - begin);
    out.narrow(0, begin, length).copy_(embed_chunk(patches.narrow(0, begin, length)));
  }
  return out;
}

namespace {

class NetDescriptor : public Descriptor {
 public:
  NetDescriptor(const Weights& weights, std::string name) : name_(std::move(name)), net_(make(weights)), folded_(*net_) {}

  std::string name() const override { return name_; }
  int dimension() const override { return net_->table().descriptor_size; }

  void describe(std::span<const uint8_t> patches, int64_t count, int size, std::span<float> out) override {
    ADA_CHECK(size == net_->table().input_size, "[net] patches are {0}x{0}, the network reads {1}x{1}", size,
              net_->table().input_size);
    ADA_ASSERT(patches.size() == static_cast<size_t>(count) * size * size);
    ADA_ASSERT(out.size() == static_cast<size_t>(count) * dimension());
    const at::Tensor input = at::from_blob(const_cast<uint8_t*>(patches.data()), {count, size, size}, at::kByte);
    at::from_blob(out.data(), {count, dimension()}, at::kFloat).copy_(folded_.embed(input));
  }

 private:
  static L2Net make(const Weights& weights) {
    L2Net net(/*seed=*/0);
    load_weights(*net, weights);
    net->eval();
    return net;
  }

  std::string name_;
  L2Net net_;
  FoldedNet folded_;
};

}  // namespace

std::unique_ptr<Descriptor> make_net_descriptor(const Weights& weights, std::string name) {
  return std::make_unique<NetDescriptor>(weights, std::move(name));
}

}  // namespace adasample
