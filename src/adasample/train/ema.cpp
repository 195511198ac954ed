// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/ema.h"

#include "adasample/base/error.h"

namespace adasample {
namespace {

std::vector<at::Tensor> tensors_of(const NetImpl& net) {
  std::vector<at::Tensor> all = net.parameters();
  for (const at::Tensor& buffer : net.buffers()) all.push_back(buffer);
  return all;
}

}  // namespace

WeightAverage::WeightAverage(const NetImpl& net, double decay) : decay_(decay) {
  if (!enabled()) return;
  shape_ = Net(/*seed=*/0, /*dropout=*/0.0, net.network());
  shape_->to(net.parameters().front().device());
  for (const at::Tensor& tensor : tensors_of(net)) average_.push_back(at::zeros_like(tensor, at::kDouble));
}

void WeightAverage::add(const NetImpl& net) {
  if (!enabled()) return;
  torch::NoGradGuard no_grad;
  const auto now = tensors_of(net);
  for (size_t i = 0; i < now.size(); ++i) average_[i].mul_(decay_).add_(now[i].detach().to(at::kDouble), 1 - decay_);
}

void WeightAverage::count() {
  if (enabled()) mass_ = decay_ * mass_ + (1 - decay_);
}

Weights WeightAverage::weights() const {
  torch::NoGradGuard no_grad;
  ADA_ASSERT(mass_ > 0);
  auto targets = tensors_of(*shape_);
  for (size_t i = 0; i < targets.size(); ++i) targets[i].copy_(average_[i] / mass_);
  return weights_of(*shape_);
}

}  // namespace adasample
