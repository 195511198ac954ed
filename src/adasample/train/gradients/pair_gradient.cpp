// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/gradients/pair_gradient.h"

#include <cmath>

namespace adasample {
namespace {

double norm_of(const at::Tensor& value, const std::vector<at::Tensor>& weights, bool again) {
  double sum = 0;
  for (const at::Tensor& gradient : torch::autograd::grad({value}, weights, {}, /*retain_graph=*/again)) {
    sum += gradient.to(at::kDouble).square().sum().item<double>();
  }
  return std::sqrt(sum);
}

}  // namespace

PairGradient pair_gradient(const NetImpl& net, const at::Tensor& pair, const at::Tensor& negative, bool of_anchor,
                           const PairLoss& loss, bool frozen_too) {
  const at::Tensor x = net.evaluate(pair);  // (2, D)
  const at::Tensor pull = squared_distance(x.narrow(0, 0, 1), x.narrow(0, 1, 1), loss.metric).sum();
  const at::Tensor push = squared_distance(x.narrow(0, of_anchor ? 0 : 1, 1), negative, loss.metric).sum();
  PairGradient result;
  result.active = loss.margin + pull.item<double>() - push.item<double>() > 0;
  if (!result.active) return result;
  const std::vector<at::Tensor> weights = net.parameters();
  if (frozen_too) result.frozen = norm_of(pull, weights, /*again=*/true);
  result.pushed = norm_of(pull - push, weights, /*again=*/false);
  return result;
}

}  // namespace adasample
