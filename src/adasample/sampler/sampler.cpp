// SPDX-License-Identifier: Apache-2.0
#include "adasample/sampler/sampler.h"

#include <limits>

#include "adasample/base/error.h"
#include "adasample/sampler/informativeness.h"
#include "adasample/sampler/pair_draw.h"

namespace adasample {

void set_exponent(const SamplerPolicy& policy, double ramp, const at::Tensor& average, at::Tensor& exponent) {
  switch (policy.exponent) {
    case SamplerPolicy::Exponent::kZero:
      exponent.fill_(0);
      return;
    case SamplerPolicy::Exponent::kFixed:
      exponent.fill_(ramp * policy.value);
      return;
    case SamplerPolicy::Exponent::kOverAverage:
      exponent.fill_(ramp * policy.value).div_(average);
      return;
    case SamplerPolicy::Exponent::kInfinite:
      exponent.fill_(ramp > 0 ? std::numeric_limits<double>::infinity() : 0);
      return;
  }
  ADA_THROW_KIND(kBug, "unknown SamplerPolicy::Exponent");
}

PairDraw Sampler::draw(const SamplerInput& input) const {
  const at::Tensor anchor = draw_anchors(seed_, input);
  const at::Tensor candidates = candidate_mask(anchor, input.counts, input.k);  // (n, k)
  at::Tensor distances;                                                         // (n, k)
  if (input.descriptors.defined()) distances = distances_to_anchor(input, anchor, metric_);
  at::Tensor q = candidates.to(at::kDouble);
  if (policy_.needs_descriptors()) {
    q = relative_probability(informativeness(policy_, input, anchor, distances, metric_), candidates, input.exponent);
  }
  return finish_draw(seed_, input, anchor, q, distances);
}

}  // namespace adasample
