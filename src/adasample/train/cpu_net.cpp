// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/cpu_net.h"

#include "adasample/base/error.h"
#include "adasample/net/dropout.h"

namespace adasample {
namespace {

// The network as one node: weights are its inputs, the tape is the CpuTrainingNet's.
class CpuTrainingFunction : public torch::autograd::Function<CpuTrainingFunction> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, CpuTrainingNet* net,
                            const CpuTrainingNet::Part* part, const at::Tensor& images, const at::Tensor&,
                            const at::Tensor&, const at::Tensor&, const at::Tensor&, const at::Tensor&,
                            const at::Tensor&, const at::Tensor&) {
    context->saved_data["net"] = reinterpret_cast<int64_t>(net);
    context->saved_data["pass"] = static_cast<int64_t>(net->passes());
    return net->run(images, *part);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    auto* net = reinterpret_cast<CpuTrainingNet*>(context->saved_data["net"].toInt());
    torch::autograd::variable_list all(3);  // of the pointers and the images
    for (const at::Tensor& gradient :
         net->gradients(static_cast<size_t>(context->saved_data["pass"].toInt()), gradients[0])) {
      all.push_back(gradient);
    }
    return all;
  }
};

}  // namespace

CpuTrainingNet::CpuTrainingNet(NetImpl& net, double dropout, pass::Machine machine, int threads)
    : table_(&net.table()), dropout_(dropout), machine_(machine), threads_(threads) {
  const auto parameters = net.named_parameters(), buffers = net.named_buffers();
  for (const ConvLayer& layer : table_->layers) {
    layers_.push_back({parameters[table_->conv_weight(layer)], buffers[table_->running_mean(layer)],
                       buffers[table_->running_var(layer)], buffers[table_->batches_tracked(layer)]});
    ADA_ASSERT(layers_.back().weight.is_contiguous(at::MemoryFormat::ChannelsLast));
  }
  ADA_ASSERT(layers_.size() == NetPass::kLayers);
}

at::Tensor CpuTrainingNet::forward(const at::Tensor& patches, const Part& part) {
  const auto& l = layers_;
  // Shard by shard where bits must not depend on how many are here: LibTorch may work on long arrays in another order.
  const int64_t shards = part.share != nullptr ? part.share->shards() : 1;
  const auto each = [&](const at::Tensor& all, const auto& work) {
    std::vector<at::Tensor> done;
    for (const at::Tensor& shard : all.chunk(shards)) done.push_back(work(shard));
    return shards == 1 ? done.front() : at::cat(done);
  };
  const at::Tensor images = each(patches, [&](const at::Tensor& x) { return normalise_patches(x, *table_); });
  const at::Tensor y =
      CpuTrainingFunction::apply(this, &part, images.contiguous(at::MemoryFormat::ChannelsLast), l[0].weight,
                                 l[1].weight, l[2].weight, l[3].weight, l[4].weight, l[5].weight, l[6].weight);
  return each(y, [&](const at::Tensor& x) { return normalise_descriptors(x, *table_); });
}

at::Tensor CpuTrainingNet::run(const at::Tensor& images, const Part& part) {
  const bool apart = part.share != nullptr && part.share->ordered();
  const int parts = apart ? static_cast<int>(part.share->shards()) : threads_;
  if (passes_ == memory_.size()) memory_.push_back({std::make_unique<NetPass>(*table_, machine_, parts), {}});
  Pass& pass = memory_[passes_++];
  pass.part = &part;
  const int64_t m = images.size(0);
  if (dropout_ > 0) {
    const ConvLayer& last = table_->layers.back();
    pass.dropout = dropout_mask(
        at::empty({m, last.in_channels, last.kernel, last.kernel}, images.options(), at::MemoryFormat::ChannelsLast),
        dropout_, dropout_key(), part.rows);
  }
  NetPass::Network network;
  for (size_t i = 0; i < layers_.size(); ++i) {
    network.weights[i] = layers_[i].weight.data_ptr<float>();
    network.expected[i] = layers_[i].mean.data_ptr<float>();
  }
  NetPass::Together together;
  if (part.share != nullptr) {
    together.patches = part.patches;
    together.apart = apart;
    if (part.synchronised) {
      together.total = [&part](const std::vector<double>& mine, size_t rows) { return part.share->total(mine, rows); };
    }
    // By number: passes to come may move the memory of this one.
    together.ready = [this, index = passes_ - 1, &part](size_t layer) {
      const at::Tensor& rows = memory_[index].gradients[layer];  // (rows, ..)
      std::vector<float*> each;
      for (int64_t row = 0; row < rows.size(0); ++row) each.push_back(rows[row].data_ptr<float>());
      part.share->start_total(each, static_cast<size_t>(rows[0].numel()));
    };
  }
  at::Tensor y = at::empty({m, table_->descriptor_size}, images.options());
  pass.net->forward(images.data_ptr<float>(), m, network, dropout_ > 0 ? pass.dropout.data_ptr<float>() : nullptr,
                    y.data_ptr<float>(), part.share != nullptr ? &together : nullptr);
  return y;
}

std::vector<at::Tensor> CpuTrainingNet::gradients(size_t pass_index, const at::Tensor& output_gradient) {
  const at::Tensor gradient = output_gradient.contiguous();
  Pass& pass = memory_.at(pass_index);
  const bool apart = pass.part->share != nullptr && pass.part->share->ordered();
  std::vector<NetPass::Gradients> to(apart ? static_cast<size_t>(pass.part->share->shards()) : 1);
  pass.gradients.clear();
  for (size_t i = 0; i < layers_.size(); ++i) {
    const at::Tensor& weight = layers_[i].weight;  // its numbers in the order that they lie in memory
    pass.gradients.push_back(
        at::empty({static_cast<int64_t>(to.size()), weight.numel()}, weight.options().requires_grad(false)));
    for (size_t row = 0; row < to.size(); ++row)
      to[row][i] = pass.gradients[i][static_cast<int64_t>(row)].data_ptr<float>();
  }
  pass.net->backward(gradient.data_ptr<float>(), to);
  if (pass.part->share != nullptr) pass.part->share->finish();
  std::vector<at::Tensor> all;
  for (size_t i = 0; i < layers_.size(); ++i) {
    const at::Tensor& weight = layers_[i].weight;
    all.push_back(pass.gradients[i][0].as_strided(weight.sizes(), weight.strides()));
  }
  pass.gradients.clear();
  return all;
}

void CpuTrainingNet::end(const at::Tensor& taken) {
  const auto used = passes_;
  passes_ = 0;
  if (!taken.item<bool>()) return;
  const double momentum = table_->batch_norm_momentum;
  for (size_t pass = 0; pass < used; ++pass) {
    for (size_t i = 0; i < layers_.size(); ++i) {
      const NetPass::Statistics& batch = memory_[pass].net->statistics()[i];
      const auto count = static_cast<double>(batch.count);
      float *mean = layers_[i].mean.data_ptr<float>(), *variance = layers_[i].variance.data_ptr<float>();
      for (size_t c = 0; c < batch.mean.size(); ++c) {
        const double unbiased = batch.variance[c] * count / (count - 1);
        mean[c] = static_cast<float>((1 - momentum) * double{mean[c]} + momentum * batch.mean[c]);
        variance[c] = static_cast<float>((1 - momentum) * double{variance[c]} + momentum * unbiased);
      }
      ++*layers_[i].batches.data_ptr<int64_t>();
    }
  }
}

}  // namespace adasample
