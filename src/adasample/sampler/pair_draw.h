// SPDX-License-Identifier: Apache-2.0
// The steps of a draw: anchors, masks and the choice from unnormalised probabilities by inverse CDF.
#pragma once

#include <torch/torch.h>

#include "adasample/sampler/sampler.h"

namespace adasample {

// Anchor of each class, uniform over its patches. (n)
at::Tensor draw_anchors(uint64_t seed, const SamplerInput& input);

// True where a patch may be the positive: neither padding nor the anchor. (n, k)
at::Tensor candidate_mask(const at::Tensor& anchor, const at::Tensor& counts, int64_t k);

// q_i = (d_i / d_max)^exponent over the candidates, in the log domain; 0 elsewhere. (n, k)
// exponent 0: 1 everywhere. Infinite: 1 where d is maximal. d = 0: 0 under a positive exponent. All d = 0: uniform.
at::Tensor relative_probability(const at::Tensor& distance, const at::Tensor& candidates, const at::Tensor& exponent);

// First candidate whose cumulative q exceeds u * sum(q), u in [0, 1). q: (n, k), u: (n) double -> (n) int64
at::Tensor inverse_cdf(const at::Tensor& q, const at::Tensor& u);

// Positives and probabilities from q; fills `distance` from `distances` (n, k) where defined.
PairDraw finish_draw(uint64_t seed, const SamplerInput& input, const at::Tensor& anchor, const at::Tensor& q,
                     const at::Tensor& distances);

// Further patches of each class besides the drawn pair, uniformly and without repetition; a class that has no more
// repeats its positive, and members_present() says so. (n, count) int64
at::Tensor draw_others(uint64_t seed, const SamplerInput& input, const PairDraw& draw, int64_t count);
// Which of anchor, positive and others are patches of their own. (n, members) bool
at::Tensor members_present(const at::Tensor& counts, int64_t members);

// d of every patch to its class's anchor. (n, k)
at::Tensor distances_to_anchor(const SamplerInput& input, const at::Tensor& anchor, Metric metric);

}  // namespace adasample
