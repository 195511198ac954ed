// SPDX-License-Identifier: Apache-2.0
// AdaSample (Eq. 13): farther positives more often, the more so the smaller the running loss.
#include "adasample/sampler/pair_draw.h"

namespace adasample {
namespace {

class AdaSampleSampler : public Sampler {
 public:
  AdaSampleSampler(uint64_t seed, Metric metric) : seed_(seed), metric_(metric) {}
  bool needs_descriptors() const override { return true; }

  PairDraw draw(const SamplerInput& input) const override {
    const at::Tensor anchor = draw_anchors(seed_, input);
    const at::Tensor distances = distances_to_anchor(input, anchor, metric_);  // (n, k)
    const at::Tensor candidates = candidate_mask(anchor, input.counts, distances.size(1));
    return finish_draw(seed_, input, anchor, relative_probability(distances, candidates, input.exponent), distances);
  }

 private:
  uint64_t seed_;
  Metric metric_;
};

}  // namespace

std::unique_ptr<Sampler> make_adasample_sampler(uint64_t seed, Metric metric) {
  return std::make_unique<AdaSampleSampler>(seed, metric);
}

}  // namespace adasample
