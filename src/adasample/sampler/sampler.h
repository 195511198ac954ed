// SPDX-License-Identifier: Apache-2.0
// Draws the pairs of a batch by a policy (policy.h). There is one draw: exponent 0 and infinity give exactly what
// `random` and `hardest` give for the same seed.
#pragma once

#include <torch/torch.h>

#include "adasample/loss/distance.h"
#include "adasample/sampler/policy.h"

namespace adasample {

struct SamplerInput {
  int64_t k = 0;           // slots a class
  at::Tensor descriptors;  // (n, k, D); may be undefined for a policy that does not need them
  at::Tensor counts;       // (n) int64: class c has its patches at 0..count-1, the rest is padding; count >= 2
  at::Tensor classes;      // (n) int64: names of the classes, part of the key of every draw
  at::Tensor iteration;    // () int64
  at::Tensor exponent;     // () floating: see set_exponent(); may be infinite
  at::Tensor levels = {};  // (n, k) int64 of each patch's strength, and what was learned of them (view_strength.h):
  at::Tensor usual = {};   //   for a policy that draws by it
  // (n, k) norm of each candidate pair's gradient, for the anchors that draw_anchors() gives; for a policy that draws
  // by it.
  at::Tensor gradients = {};
};

struct PairDraw {
  at::Tensor anchor, positive;  // (n) int64 in [0, count), never equal
  at::Tensor distance;          // (n) d between them; undefined where descriptors were not given
  at::Tensor probability;       // (n, k) p, zero for the anchor and for padding
  at::Tensor distances;         // (n, k) d from the anchor to each slot; undefined where descriptors were not given
  at::Tensor others = {};       // (n, m) int64, see draw_others(); undefined: none
};

// Mean over classes of H(p) / log(count - 1): 1 for uniform p, 0 where one patch takes all. Classes of two patches
// count as 1.
at::Tensor sampling_entropy(const PairDraw& draw, const at::Tensor& counts);

// The policy's exponent at running loss `average`, times `ramp` of the warm-up, in [0, 1]. Both tensors are () double
// on the device, where L_avg stays: `exponent` is overwritten in place.
void set_exponent(const SamplerPolicy& policy, double ramp, const at::Tensor& average, at::Tensor& exponent);

class Sampler {
 public:
  // `metric` is the loss's own.
  Sampler(const SamplerPolicy& policy, uint64_t seed, Metric metric) : policy_(policy), seed_(seed), metric_(metric) {}

  const SamplerPolicy& policy() const { return policy_; }
  uint64_t seed() const { return seed_; }
  Metric metric() const { return metric_; }

  // By LibTorch, on the device of the input.
  PairDraw draw(const SamplerInput& input) const;

 private:
  SamplerPolicy policy_;
  uint64_t seed_;
  Metric metric_;
};

}  // namespace adasample
