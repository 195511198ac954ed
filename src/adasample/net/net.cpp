// SPDX-License-Identifier: Apache-2.0
#include "adasample/net/net.h"

#include "adasample/base/error.h"
#include "adasample/base/random/rng.h"
#include "adasample/net/batch_norm.h"
#include "adasample/net/dropout.h"

namespace adasample {
namespace nn = torch::nn;
namespace {

// Holds parameters or children and does nothing by itself.
class Holder : public nn::Module {};

// Scale, shift and epsilon of a filter-response norm.
class FilterResponseImpl : public nn::Module {
 public:
  FilterResponseImpl(int64_t channels, double epsilon) {
    scale = register_parameter("weight", at::ones({1, channels, 1, 1}));
    shift = register_parameter("bias", at::zeros({1, channels, 1, 1}));
    least = register_buffer("eps", at::full({1}, epsilon));
  }
  at::Tensor forward(const at::Tensor& x) const {
    return x * (x.square().mean({2, 3}, /*keepdim=*/true) + least.abs()).rsqrt() * scale + shift;
  }
  at::Tensor scale, shift, least;
};

// A threshold for each channel.
class ThresholdImpl : public nn::Module {
 public:
  explicit ThresholdImpl(int64_t channels) { tau = register_parameter("tau", at::full({1, channels, 1, 1}, -1.f)); }
  at::Tensor tau;
};

template <typename Module>
Module& module_of(const std::shared_ptr<nn::Module>& module) {
  return dynamic_cast<Module&>(*module);  // its base is virtual
}

}  // namespace

at::Tensor normalise_patches(const at::Tensor& patches, const LayerTable& table) {
  at::Tensor x = patches.is_floating_point() ? patches : patches.to(at::kFloat);
  x = x.flatten(1);  // (m, S*S)
  const auto [variance, mean] = at::var_mean(x, /*dim=*/at::IntArrayRef{1}, /*unbiased=*/true, /*keepdim=*/true);
  x = (x - mean) / (variance.sqrt() + table.input_epsilon);
  return x.view({-1, 1, table.input_size, table.input_size}).contiguous(at::MemoryFormat::ChannelsLast);
}

at::Tensor tower_input(const at::Tensor& patches, const Network& network, const Tower& tower) {
  if (network.plain() != nullptr) return normalise_patches(patches, *network.plain());
  at::Tensor x = patches.is_floating_point() ? patches : patches.to(at::kFloat);
  x = x.reshape({-1, 1, network.input_size, network.input_size});
  if (tower.view == TowerView::kHalved) x = at::avg_pool2d(x, 2);
  if (tower.view == TowerView::kCentre) {
    const int64_t quarter = network.input_size / 4;
    x = x.slice(2, quarter, 3 * quarter).slice(3, quarter, 3 * quarter);
  }
  const bool unbiased = network.input_norm == InputNorm::kDeviation;
  switch (network.input_norm) {
    case InputNorm::kDeviation:
    case InputNorm::kVariance: {
      const auto [variance, mean] = at::var_mean(x, /*dim=*/at::IntArrayRef{2, 3}, unbiased, /*keepdim=*/true);
      x = (x - mean) / (unbiased ? variance.sqrt() + network.input_epsilon : (variance + network.input_epsilon).sqrt());
      break;
    }
    case InputNorm::kFixed:
      x = (x - kFixedMean) / kFixedScale;
      break;
    case InputNorm::kNone:
      break;
  }
  return x.contiguous(at::MemoryFormat::ChannelsLast);
}

at::Tensor normalise_rows(const at::Tensor& y, double epsilon) {
  return y / (y.square().sum(1, /*keepdim=*/true) + epsilon).sqrt();
}

at::Tensor normalise_descriptors(const at::Tensor& y, const LayerTable& table) {
  return normalise_rows(y, table.output_epsilon);
}

NetImpl::NetImpl(uint64_t seed, std::optional<double> dropout, const Network& network) : network_(&network) {
  torch::manual_seed(RngKey(seed, Draw::kInit).bits());
  const auto make = [&](const std::vector<NetLayer>& layers, const std::vector<PlaneShape>& around) {
    std::vector<Step> steps;
    for (size_t i = 0; i < layers.size(); ++i) {
      steps.push_back({&layers[i], make_module(layers[i], around[i], dropout)});
      if (!layers[i].name.empty()) place(layers[i].name, steps.back().module);
    }
    return steps;
  };
  for (const Tower& tower : network.towers) towers_.push_back(make(tower.layers, network.extents(tower)));
  metric_ = make(network.metric, network.metric_extents());
}

std::shared_ptr<nn::Module> NetImpl::make_module(const NetLayer& layer, const PlaneShape& before,
                                                 std::optional<double> dropout) {
  switch (layer.kind) {
    case LayerKind::kConvolution: {
      nn::Conv2d conv(nn::Conv2dOptions(before.channels, layer.channels, layer.kernel)
                          .stride(layer.stride)
                          .padding(layer.padding)
                          .bias(layer.bias));
      nn::init::orthogonal_(conv->weight, network_->init_gain);
      // Channels last is the layout that oneDNN and cuDNN are fastest in; inputs and activations follow the weights.
      conv->weight.set_data(conv->weight.contiguous(at::MemoryFormat::ChannelsLast));
      if (layer.bias) nn::init::zeros_(conv->bias);
      return conv.ptr();
    }
    case LayerKind::kFullyConnected: {
      nn::Linear full(nn::LinearOptions(before.numbers(), layer.channels).bias(layer.bias));
      nn::init::orthogonal_(full->weight, network_->init_gain);
      if (layer.bias) nn::init::zeros_(full->bias);
      return full.ptr();
    }
    case LayerKind::kBatchNorm:
      return nn::BatchNorm2d(nn::BatchNorm2dOptions(before.channels)
                                 .eps(layer.epsilon)
                                 .momentum(network_->batch_norm_momentum)
                                 .affine(layer.affine))
          .ptr();
    case LayerKind::kFilterResponse:
      return std::make_shared<FilterResponseImpl>(before.channels, layer.epsilon);
    case LayerKind::kTlu:
      return std::make_shared<ThresholdImpl>(before.channels);
    case LayerKind::kDropout: {
      Dropout dropped(dropout.value_or(layer.rate));
      // It draws no numbers unless it is told that it learns: a module of ours, although it has no arrays.
      return register_module(fmt::format("dropout{}", children().size()), dropped.ptr());
    }
    default:
      return nullptr;
  }
}

// "a.b.c": the child c of the child b of the child a; those on the way are made.
void NetImpl::place(const std::string& name, const std::shared_ptr<nn::Module>& module) {
  nn::Module* parent = this;
  size_t begin = 0;
  for (size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', begin)) {
    const std::string part = name.substr(begin, dot - begin);
    const auto children = parent->named_children();
    parent = children.contains(part) ? children[part].get()
                                     : parent->register_module(part, std::make_shared<Holder>()).get();
    begin = dot + 1;
  }
  parent->register_module(name.substr(begin), module);
}

at::Tensor NetImpl::apply(const Step& step, const at::Tensor& x, bool learning, const PartOfBatch* part) {
  const NetLayer& layer = *step.layer;
  switch (layer.kind) {
    case LayerKind::kConvolution: {
      auto& conv = module_of<nn::Conv2dImpl>(step.module);
      const int64_t more = layer.padding_after;
      return conv.forward(more == 0 ? x : at::constant_pad_nd(x, {0, more, 0, more}));
    }
    case LayerKind::kBatchNorm: {
      auto& norm = module_of<nn::BatchNorm2dImpl>(step.module);
      if (learning && part != nullptr && part->total) return batch_norm_of_part(norm, x, *part);
      if (learning) return norm.forward(x);
      return at::batch_norm(x, norm.weight, norm.bias, norm.running_mean, norm.running_var, /*training=*/false,
                            /*momentum=*/0, layer.epsilon, at::globalContext().userEnabledCuDNN());
    }
    case LayerKind::kInstanceNorm: {
      const auto [variance, mean] = at::var_mean(x, at::IntArrayRef{2, 3}, /*unbiased=*/false, /*keepdim=*/true);
      return (x - mean) / (variance + layer.epsilon).sqrt();
    }
    case LayerKind::kFilterResponse:
      return module_of<FilterResponseImpl>(step.module).forward(x);
    case LayerKind::kRelu:
      return at::relu_(const_cast<at::Tensor&>(x));  // of a result that nobody else needs
    case LayerKind::kTlu:
      return at::maximum(x, module_of<ThresholdImpl>(step.module).tau);
    case LayerKind::kTanh:
      return x.tanh();
    case LayerKind::kMaxPool: {
      const int64_t more = layer.padding_after;
      return at::max_pool2d(more == 0 ? x : at::constant_pad_nd(x, {0, more, 0, more}, -INFINITY), layer.kernel,
                            layer.stride, layer.padding);
    }
    case LayerKind::kAveragePool:
      return at::avg_pool2d(x, layer.kernel, layer.stride, layer.padding);
    case LayerKind::kL2Pool: {
      const double area = layer.kernel * layer.kernel;
      return (area * at::avg_pool2d(x.square(), layer.kernel, layer.stride, layer.padding) + layer.epsilon).sqrt();
    }
    case LayerKind::kDropout:
      if (!learning) return x;
      return module_of<DropoutImpl>(step.module).forward(x, part != nullptr ? part->rows : std::vector<int64_t>());
    case LayerKind::kFullyConnected:
      return module_of<nn::LinearImpl>(step.module).forward(x.contiguous().flatten(1)).unsqueeze(2).unsqueeze(3);
  }
  ADA_THROW_KIND(kBug, "unknown LayerKind");
}

at::Tensor NetImpl::describe(const at::Tensor& patches) const {
  torch::NoGradGuard no_grad;
  return evaluate(patches);
}

at::Tensor NetImpl::compare(const at::Tensor& a, const at::Tensor& b) const {
  ADA_ASSERT(!metric_.empty());
  at::Tensor x = at::cat({a, b}, 1).unsqueeze(2).unsqueeze(3);  // (m, 2 D, 1, 1)
  for (const Step& step : metric_) x = apply(step, x, /*learning=*/false, /*part=*/nullptr);
  return x.flatten(1);
}

at::Tensor NetImpl::run(const at::Tensor& patches, bool learning, Activations* activations,
                        const PartOfBatch* part) const {
  const at::ScalarType type = parameters().front().scalar_type();
  std::vector<at::Tensor> rows, raw;
  for (size_t t = 0; t < towers_.size(); ++t) {
    at::Tensor x = tower_input(patches, *network_, network_->towers[t]).to(type);
    for (const Step& step : towers_[t]) {
      x = apply(step, x, learning, part);
      if (activations != nullptr && step.layer->kind == LayerKind::kBatchNorm) {
        // A ReLU after it works in place: what is looked at is a copy.
        if (!activations->first.defined()) activations->first = x.clone();
        activations->last = x.clone();
      }
    }
    const at::Tensor y = x.flatten(1);
    raw.push_back(y);
    rows.push_back(network_->unit_output ? normalise_rows(y, network_->output_epsilon) : y);
  }
  if (activations != nullptr) activations->raw = raw.size() == 1 ? raw.front() : at::cat(raw, 1);
  if (rows.size() == 1) return rows.front();
  const at::Tensor all = at::cat(rows, 1);
  return network_->unit_output ? normalise_rows(all, network_->output_epsilon) : all;
}

const LayerTable& NetImpl::table() const {
  ADA_ASSERT(network_->plain() != nullptr);
  return *network_->plain();
}

Weights weights_of(const NetImpl& net) {
  Weights weights;
  weights.metadata["architecture"] = net.network().name;
  const auto add = [&](const std::string& name, const at::Tensor& tensor) {
    const at::Tensor host = tensor.detach().to(at::kCPU, at::kFloat).contiguous();
    const float* begin = host.data_ptr<float>();
    weights.arrays[name] = {host.sizes().vec(), {begin, begin + host.numel()}};
  };
  for (const auto& item : net.named_parameters()) add(item.key(), item.value());
  for (const auto& item : net.named_buffers()) add(item.key(), item.value());
  return weights;
}

void load_weights(NetImpl& net, const Weights& weights) {
  weights.check_against(net.network());
  torch::NoGradGuard no_grad;
  const auto copy = [&](const std::string& name, at::Tensor tensor) {
    const auto found = weights.arrays.find(name);
    if (found == weights.arrays.end()) return;  // only what may be missing
    const NamedArray& array = found->second;
    tensor.copy_(at::from_blob(const_cast<float*>(array.values.data()), tensor.sizes(), at::kFloat));
  };
  for (auto& item : net.named_parameters()) copy(item.key(), item.value());
  for (auto& item : net.named_buffers()) copy(item.key(), item.value());
}

}  // namespace adasample
