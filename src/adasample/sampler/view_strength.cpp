// SPDX-License-Identifier: Apache-2.0
#include "adasample/sampler/view_strength.h"

namespace adasample {
namespace {

// Cell of each slot: the anchor's level, then the slot's own. (n, k)
at::Tensor cells(const at::Tensor& levels, const at::Tensor& anchor) {
  return levels.gather(1, anchor.unsqueeze(1)) * kStrengthLevels + levels;
}

}  // namespace

at::Tensor no_usual_distances(const at::Device& device) {
  return at::zeros({2, kStrengthLevels, kStrengthLevels}, at::TensorOptions(device).dtype(at::kDouble));
}

at::Tensor usual_distance(const at::Tensor& usual, const at::Tensor& levels, const at::Tensor& anchor) {
  const at::Tensor sum = usual.select(0, 0).flatten(), mass = usual.select(0, 1).flatten();
  const at::Tensor mean = at::where((mass > 0).logical_and(sum > 0), sum / mass, at::ones_like(sum));
  return mean.index_select(0, cells(levels, anchor).flatten()).view_as(levels);
}

void learn_usual_distances(at::Tensor& usual, const at::Tensor& levels, const at::Tensor& anchor,
                           const at::Tensor& candidates, const at::Tensor& distances, double decay) {
  torch::NoGradGuard no_grad;
  // As a product with rows of one 1 each: the same sum in the same order every time, on any device.
  const at::Tensor cell = cells(levels, anchor).flatten().unsqueeze(1);  // (nk, 1)
  const at::Tensor all = at::arange(kStrengthLevels * kStrengthLevels, cell.options()).unsqueeze(0);
  const at::Tensor where = (cell == all).logical_and(candidates.flatten().unsqueeze(1)).to(at::kDouble);
  const at::Tensor finite = distances.to(at::kDouble).nan_to_num(0, 0, 0).flatten().unsqueeze(0);  // (1, nk)
  const at::Tensor now = at::cat({at::mm(finite, where), where.sum(0, /*keepdim=*/true)}).view_as(usual);
  usual.mul_(decay).add_(now, 1 - decay);
}

}  // namespace adasample
