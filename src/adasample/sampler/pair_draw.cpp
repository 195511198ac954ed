// SPDX-License-Identifier: Apache-2.0
#include "adasample/sampler/pair_draw.h"

#include <limits>

#include "adasample/sampler/tensor_rng.h"

namespace adasample {

at::Tensor draw_anchors(uint64_t seed, const SamplerInput& input) {
  const at::Tensor u = uniform(seed, Draw::kAnchor, input.iteration, input.classes);
  return (u * input.counts).floor().to(at::kLong);
}

at::Tensor candidate_mask(const at::Tensor& anchor, const at::Tensor& counts, int64_t k) {
  const at::Tensor slot = at::arange(k, counts.options()).unsqueeze(0);  // (1, k)
  return (slot < counts.unsqueeze(1)).logical_and(slot != anchor.unsqueeze(1));
}

at::Tensor relative_probability(const at::Tensor& distance, const at::Tensor& candidates, const at::Tensor& exponent) {
  // In double: an exponent of 1e39 is finite there, and in float it would be infinite without saying so.
  const at::Tensor d = distance.to(at::kDouble).masked_fill(candidates.logical_not(), 0);
  const at::Tensor largest = d.amax(1, /*keepdim=*/true);  // (n, 1)
  // d = 0 has log -inf and so q = 0; at d = d_max the difference is 0 and q = 1 for every finite exponent.
  const at::Tensor power = (exponent * (d.log() - largest.log())).exp();
  at::Tensor q = at::where(exponent.isinf(), (d == largest).to(d.dtype()), power);
  q = at::where((exponent == 0).logical_or(largest == 0), at::ones_like(d), q);
  return q.masked_fill(candidates.logical_not(), 0);
}

at::Tensor inverse_cdf(const at::Tensor& q, const at::Tensor& u) {
  const at::Tensor cumulative = q.to(at::kDouble).cumsum(1);
  const at::Tensor total = cumulative.select(1, q.size(1) - 1);
  // u * total may round up to total itself; one ulp below, the last candidate is still found.
  const at::Tensor target = at::minimum(u * total, total * (1 - std::numeric_limits<double>::epsilon()));
  return (cumulative <= target.unsqueeze(1)).sum(1);
}

PairDraw finish_draw(uint64_t seed, const SamplerInput& input, const at::Tensor& anchor, const at::Tensor& q,
                     const at::Tensor& distances) {
  const at::Tensor u = uniform(seed, Draw::kPositive, input.iteration, input.classes);
  PairDraw draw;
  draw.anchor = anchor;
  draw.positive = inverse_cdf(q, u);
  draw.probability = q / q.sum(1, /*keepdim=*/true);
  draw.distances = distances;
  if (distances.defined()) draw.distance = distances.gather(1, draw.positive.unsqueeze(1)).squeeze(1);
  return draw;
}

at::Tensor draw_others(uint64_t seed, const SamplerInput& input, const PairDraw& draw, int64_t count) {
  const int64_t k = input.k;
  std::vector<at::Tensor> keys;
  for (int64_t slot = 0; slot < k; ++slot) {
    keys.push_back(uniform(seed, Draw::kMembers, input.iteration, input.classes * k + slot));
  }
  const at::Tensor slot = at::arange(k, input.counts.options()).unsqueeze(0);
  const at::Tensor left = candidate_mask(draw.anchor, input.counts, k).logical_and(slot != draw.positive.unsqueeze(1));
  const at::Tensor order = at::stack(keys, 1).masked_fill(left.logical_not(), 2);  // (n, k), 2 is past every key
  const auto [key, chosen] = order.topk(count, 1, /*largest=*/false);
  return at::where(key < 1, chosen, draw.positive.unsqueeze(1));
}

at::Tensor members_present(const at::Tensor& counts, int64_t members) {
  return at::arange(members, counts.options()).unsqueeze(0) < counts.unsqueeze(1);
}

at::Tensor distances_to_anchor(const SamplerInput& input, const at::Tensor& anchor, Metric metric) {
  const at::Tensor& x = input.descriptors;  // (n, k, D)
  const at::Tensor index = anchor.view({-1, 1, 1}).expand({-1, 1, x.size(2)});
  return row_distance(x, x.gather(1, index), metric);
}

at::Tensor sampling_entropy(const PairDraw& draw, const at::Tensor& counts) {
  const at::Tensor p = draw.probability;
  const at::Tensor entropy = -at::xlogy(p, p).sum(1);
  const at::Tensor most = (counts - 1).to(p.dtype()).log();  // (n) log of the number of candidates
  return at::where(most > 0, entropy / most.clamp_min(1e-12), at::ones_like(entropy)).mean();
}

}  // namespace adasample
