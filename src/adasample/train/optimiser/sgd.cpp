// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/optimiser/sgd.h"

namespace adasample {

Sgd::Sgd(std::vector<at::Tensor> parameters, SgdOptions options)
    : parameters_(std::move(parameters)), options_(options) {
  for (const at::Tensor& parameter : parameters_) buffers_.push_back(at::zeros_like(parameter));
  taken_ = at::zeros({}, parameters_.front().options().dtype(at::kBool).requires_grad(false));
}

at::Tensor Sgd::step(const at::Tensor& learning_rate) {
  torch::NoGradGuard no_grad;
  std::vector<at::Tensor> buffers, weights, sums;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const at::Tensor gradient = parameters_[i].grad() + options_.weight_decay * parameters_[i];
    // The first gradient enters undamped, as PyTorch has it; taken_ stays 0 on the device until a step was taken.
    const at::Tensor damped = options_.momentum * buffers_[i] + (1 - options_.dampening) * gradient;
    buffers.push_back(options_.dampening == 0 ? damped : at::where(taken_, damped, gradient));
    weights.push_back(parameters_[i] - learning_rate * buffers[i]);
    sums.push_back(weights[i].sum());  // finite unless a term is not: covers gradients, buffers and the step itself
  }
  const at::Tensor finite = at::isfinite(at::stack(sums)).all();
  for (size_t i = 0; i < parameters_.size(); ++i) {
    buffers_[i].copy_(at::where(finite, buffers[i], buffers_[i]));
    parameters_[i].copy_(at::where(finite, weights[i], parameters_[i]));
    parameters_[i].mutable_grad() = at::Tensor();
  }
  taken_.logical_or_(finite);
  return finite;
}

std::map<std::string, at::Tensor> Sgd::state(const std::vector<std::string>& parameters) const {
  std::map<std::string, at::Tensor> all = {{"taken", taken_}};
  for (size_t i = 0; i < parameters.size(); ++i) all["momentum." + parameters[i]] = buffers_[i];
  return all;
}

}  // namespace adasample
