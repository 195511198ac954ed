// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/sgd.h"

namespace adasample {

Sgd::Sgd(std::vector<at::Tensor> parameters, SgdOptions options)
    : parameters_(std::move(parameters)), options_(options) {
  for (const at::Tensor& parameter : parameters_) buffers_.push_back(at::zeros_like(parameter));
}

at::Tensor Sgd::step(const at::Tensor& learning_rate) {
  torch::NoGradGuard no_grad;
  std::vector<at::Tensor> sums;
  for (const at::Tensor& parameter : parameters_) sums.push_back(parameter.grad().sum());
  const at::Tensor finite = at::isfinite(at::stack(sums)).all();  // a sum is finite unless a term is not (or all is lost)

  for (size_t i = 0; i < parameters_.size(); ++i) {
    at::Tensor& parameter = parameters_[i];
    const at::Tensor gradient = parameter.grad() + options_.weight_decay * parameter;
    const at::Tensor buffer =
        first_ ? gradient : options_.momentum * buffers_[i] + (1 - options_.dampening) * gradient;
    buffers_[i].copy_(at::where(finite, buffer, buffers_[i]));
    parameter.copy_(at::where(finite, parameter - learning_rate * buffer, parameter));
    parameter.mutable_grad() = at::Tensor();
  }
  first_ = false;
  return finite;
}

}  // namespace adasample
