// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/cuda/gpu_net.h"

#include "adasample/base/error.h"
#include "adasample/gpu/first_layer.h"
#include "adasample/gpu/step.h"
#include "adasample/train/cuda/stream.h"

namespace adasample {
namespace {

gpu::Element element_of(const at::Tensor& tensor) {
  return tensor.scalar_type() == at::kBFloat16 ? gpu::Element::kBfloat16
         : tensor.scalar_type() == at::kHalf   ? gpu::Element::kHalf
                                               : gpu::Element::kFloat;
}

// The power of two that brings the largest number to about 16: half's smallest numbers are not small enough for
// gradients as they come. () float; 1 where there is nothing to scale.
at::Tensor half_scale(const at::Tensor& gradient) {
  const at::Tensor largest = gradient.abs().max();
  const at::Tensor scale = at::exp2((4 - largest.log2()).floor());
  return at::where(at::isfinite(scale), scale, at::ones_like(scale));
}

// (m, C, W, W) channels last, or (m, C), as rows of pixels.
gpu::Rows rows_of(const at::Tensor& x) {
  return {x.data_ptr(), element_of(x), x.numel() / x.size(1), static_cast<int>(x.size(1))};
}

// The network as one node: weights are its inputs, the tape is the GpuNet's.
class NetFunction : public torch::autograd::Function<NetFunction> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, GpuNet* net, const at::Tensor& patches,
                            const at::Tensor&, const at::Tensor&, const at::Tensor&, const at::Tensor&,
                            const at::Tensor&, const at::Tensor&, const at::Tensor&) {
    context->saved_data["net"] = reinterpret_cast<int64_t>(net);
    context->saved_data["pass"] = static_cast<int64_t>(net->passes());
    return net->run(patches);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const auto* net = reinterpret_cast<const GpuNet*>(context->saved_data["net"].toInt());
    torch::autograd::variable_list all = {at::Tensor(), at::Tensor()};  // of the pointer and the patches
    for (const at::Tensor& gradient :
         net->gradients(static_cast<size_t>(context->saved_data["pass"].toInt()), gradients[0])) {
      all.push_back(gradient);
    }
    return all;
  }
};

}  // namespace

GpuNet::GpuNet(NetImpl& net, const GpuNetOptions& options, const at::Tensor& iteration)
    : table_(&net.table()), options_(options), iteration_(iteration) {
  const auto parameters = net.named_parameters(), buffers = net.named_buffers();
  for (const ConvLayer& layer : table_->layers) {
    layers_.push_back({layer, parameters[table_->conv_weight(layer)], buffers[table_->running_mean(layer)],
                       buffers[table_->running_var(layer)], buffers[table_->batches_tracked(layer)]});
  }
  ADA_ASSERT(layers_.size() == 7 && layers_.front().shape.in_channels == 1);
  scratch_ = at::empty({gpu::kStatisticsScratch}, layers_.front().mean.options());
}

gpu::Statistics GpuNet::statistics_at(const at::Tensor& statistics) const {
  auto* at = statistics.data_ptr<float>();
  const int64_t channels = statistics.size(1);
  return {at, at + channels, at + 2 * channels, scratch_.data_ptr<float>()};
}

void GpuNet::drop(size_t pass, at::Tensor& x) const {
  if (options_.dropout == 0) return;
  gpu::dropout(x.data_ptr(), element_of(x), x.numel(), options_.dropout, RngKey(options_.seed, Draw::kDropout).at(pass),
               iteration_.data_ptr<int64_t>(), torch_stream());
}

at::Tensor GpuNet::forward(const at::Tensor& patches) {
  const auto& l = layers_;
  return normalise_descriptors(NetFunction::apply(this, patches, l[0].weight, l[1].weight, l[2].weight, l[3].weight,
                                                  l[4].weight, l[5].weight, l[6].weight),
                               *table_);
}

at::Tensor GpuNet::run(const at::Tensor& patches) {
  torch::NoGradGuard no_grad;
  const int64_t m = patches.size(0), size = table_->input_size;
  const auto type = at::TensorOptions(patches.device()).dtype(options_.type);
  Pass& pass = passes_.emplace_back();
  at::Tensor x = patches.view({m, 1, size, size});
  for (size_t i = 0; i < layers_.size(); ++i) {
    const Layer& layer = layers_[i];
    const int64_t channels = layer.shape.out_channels;
    const bool last = i + 1 == layers_.size();
    at::Tensor statistics = at::empty({3, channels}, layer.mean.options());
    if (layer.shape.dropout_before) drop(passes_.size() - 1, x);
    at::Tensor weight = i == 0 ? layer.weight : layer.weight.detach().to(options_.type), sums;
    if (i == 0) {
      sums = at::empty({m, channels, size, size}, type, at::MemoryFormat::ChannelsLast);
      gpu::first_layer(x.data_ptr(), element_of(x), m, weight.data_ptr<float>(), table_->batch_norm_epsilon,
                       sums.data_ptr(), statistics_at(statistics), torch_stream());
    } else {
      if (last) {
        // A kernel as large as its input is a matrix product; both are stored channels last.
        weight = weight.permute({0, 2, 3, 1}).reshape({channels, -1});
        sums = x.permute({0, 2, 3, 1}).reshape({m, -1}).mm(weight.t()).to(at::kFloat);
      } else {
        sums = at::conv2d(x, weight, {}, {layer.shape.stride, layer.shape.stride},
                          {layer.shape.padding, layer.shape.padding});
      }
      gpu::batch_statistics(rows_of(sums), table_->batch_norm_epsilon, statistics_at(statistics), torch_stream());
    }
    at::Tensor y = at::empty_like(sums);
    gpu::normalise_rows(rows_of(sums), statistics_at(statistics), layer.shape.relu, y.data_ptr(), torch_stream());
    pass.weights.push_back(weight);
    pass.inputs.push_back(x);
    pass.sums.push_back(sums);
    pass.statistics.push_back(statistics);
    x = y;
  }
  return x;
}

std::vector<at::Tensor> GpuNet::gradients(size_t index, const at::Tensor& output_gradient) const {
  torch::NoGradGuard no_grad;
  const Pass& pass = passes_.at(index);
  std::vector<at::Tensor> all(layers_.size());
  at::Tensor gradient = output_gradient.contiguous();  // of the layer's output, then of its input
  at::Tensor scale;
  if (options_.type == at::kHalf) {
    scale = half_scale(gradient);
    gradient = gradient * scale;
  }
  for (size_t i = layers_.size(); i-- > 0;) {
    const ConvLayer& shape = layers_[i].shape;
    const at::Tensor &x = pass.inputs[i], &sums = pass.sums[i], &weight = pass.weights[i];
    const gpu::Statistics statistics = statistics_at(pass.statistics[i]);
    if (i == 0) {
      all[0] = at::empty_like(layers_[0].weight);
      gpu::first_layer_backward(x.data_ptr(), element_of(x), x.size(0), sums.data_ptr(), statistics,
                                gradient.data_ptr(), all[0].data_ptr<float>(), torch_stream());
      break;
    }
    at::Tensor before =
        i + 1 == layers_.size() ? at::empty_like(gradient) : gradient;  // the caller's is not ours to change
    gpu::normalise_rows_backward(rows_of(sums), statistics, shape.relu, gradient.data_ptr(), before.data_ptr(),
                                 torch_stream());
    if (i + 1 == layers_.size()) {
      const at::Tensor d = before.to(options_.type), flat = x.permute({0, 2, 3, 1}).reshape({x.size(0), -1});
      all[i] = d.t().mm(flat).to(at::kFloat).view({shape.out_channels, shape.kernel, shape.kernel, shape.in_channels});
      all[i] = all[i].permute({0, 3, 1, 2});
      gradient = d.mm(weight).view({x.size(0), shape.kernel, shape.kernel, shape.in_channels}).permute({0, 3, 1, 2});
    } else {
      const auto [of_input, of_weight, none] =
          at::convolution_backward(before, x, weight, at::OptionalIntArrayRef(), {shape.stride, shape.stride},
                                   {shape.padding, shape.padding}, {1, 1},
                                   /*transposed=*/false, {0, 0}, /*groups=*/1, {true, true, false});
      all[i] = of_weight.to(at::kFloat);
      gradient = of_input.contiguous(at::MemoryFormat::ChannelsLast);
    }
    if (shape.dropout_before) drop(index, gradient);
  }
  if (scale.defined()) {
    for (at::Tensor& of_weight : all) of_weight = of_weight / scale;
  }
  return all;
}

void GpuNet::end(const at::Tensor& taken) {
  for (const Pass& pass : passes_) {
    std::vector<gpu::RunningUpdate> updates;
    for (size_t i = 0; i < layers_.size(); ++i) {
      const Layer& layer = layers_[i];
      updates.push_back({layer.mean.data_ptr<float>(), layer.variance.data_ptr<float>(),
                         layer.batches.data_ptr<int64_t>(), statistics_at(pass.statistics[i]),
                         layer.shape.out_channels});
    }
    gpu::update_running(updates.data(), static_cast<int>(updates.size()), table_->batch_norm_momentum,
                        taken.data_ptr<bool>(), torch_stream());
  }
  passes_.clear();
}

}  // namespace adasample
