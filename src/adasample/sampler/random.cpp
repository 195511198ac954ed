// SPDX-License-Identifier: Apache-2.0
// Uniform positives: HardNet's pairs. Needs no descriptors.
#include "adasample/sampler/pair_draw.h"

namespace adasample {
namespace {

class RandomSampler : public Sampler {
 public:
  RandomSampler(uint64_t seed, Metric metric) : seed_(seed), metric_(metric) {}
  bool needs_descriptors() const override { return false; }

  PairDraw draw(const SamplerInput& input) const override {
    const at::Tensor anchor = draw_anchors(seed_, input);
    const at::Tensor distances =
        input.descriptors.defined() ? distances_to_anchor(input, anchor, metric_) : at::Tensor();
    const at::Tensor candidates = candidate_mask(anchor, input.counts, input.k);
    return finish_draw(seed_, input, anchor, candidates.to(at::kDouble), distances);
  }

 private:
  uint64_t seed_;
  Metric metric_;
};

}  // namespace

std::unique_ptr<Sampler> make_random_sampler(uint64_t seed, Metric metric) {
  return std::make_unique<RandomSampler>(seed, metric);
}

}  // namespace adasample
