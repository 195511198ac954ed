// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/optimiser/adam.h"

namespace adasample {
namespace {

constexpr double kFirstDecay = 0.9, kSecondDecay = 0.999, kLeastRoot = 1e-8;

}  // namespace

Adam::Adam(std::vector<at::Tensor> parameters, double weight_decay)
    : parameters_(std::move(parameters)), weight_decay_(weight_decay) {
  for (const at::Tensor& parameter : parameters_) {
    first_.push_back(at::zeros_like(parameter));
    second_.push_back(at::zeros_like(parameter));
  }
  steps_ = at::zeros({}, parameters_.front().options().dtype(at::kDouble).requires_grad(false));
}

at::Tensor Adam::step(const at::Tensor& learning_rate) {
  torch::NoGradGuard no_grad;
  const at::Tensor t = steps_ + 1;
  const at::Tensor first_share = 1 - at::pow(kFirstDecay, t), second_share = 1 - at::pow(kSecondDecay, t);  // ()
  std::vector<at::Tensor> firsts, seconds, weights, sums;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const at::Tensor gradient = parameters_[i].grad() + weight_decay_ * parameters_[i];
    firsts.push_back(kFirstDecay * first_[i] + (1 - kFirstDecay) * gradient);
    seconds.push_back(kSecondDecay * second_[i] + (1 - kSecondDecay) * gradient.square());
    const at::Tensor root = (seconds[i] / second_share).sqrt() + kLeastRoot;
    weights.push_back(parameters_[i] - learning_rate / first_share * firsts[i] / root);
    sums.push_back(weights[i].sum());  // finite unless a term is not
    sums.push_back(seconds[i].sum());  // a square may be beyond float where the weight is not, and would stay so
  }
  const at::Tensor finite = at::isfinite(at::stack(sums)).all();
  for (size_t i = 0; i < parameters_.size(); ++i) {
    first_[i].copy_(at::where(finite, firsts[i], first_[i]));
    second_[i].copy_(at::where(finite, seconds[i], second_[i]));
    parameters_[i].copy_(at::where(finite, weights[i], parameters_[i]));
    parameters_[i].mutable_grad() = at::Tensor();
  }
  steps_.add_(finite.to(at::kDouble));
  return finite;
}

std::map<std::string, at::Tensor> Adam::state(const std::vector<std::string>& parameters) const {
  std::map<std::string, at::Tensor> all = {{"steps", steps_}};
  for (size_t i = 0; i < parameters.size(); ++i) {
    all["first." + parameters[i]] = first_[i];
    all["second." + parameters[i]] = second_[i];
  }
  return all;
}

}  // namespace adasample
