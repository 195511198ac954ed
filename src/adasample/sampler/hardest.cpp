// SPDX-License-Identifier: Apache-2.0
// Hardpos: the farthest patch of the class; among equally far ones, one uniformly. An exponent of 0 (the warm-up) is
// respected.
#include <limits>

#include "adasample/sampler/pair_draw.h"

namespace adasample {
namespace {

class HardestSampler : public Sampler {
 public:
  HardestSampler(uint64_t seed, Metric metric) : adasample_(make_adasample_sampler(seed, metric)) {}
  bool needs_descriptors() const override { return true; }

  PairDraw draw(const SamplerInput& input) const override {
    SamplerInput hardest = input;
    hardest.exponent = at::full_like(input.exponent, std::numeric_limits<double>::infinity());
    hardest.exponent.masked_fill_(input.exponent == 0, 0);
    return adasample_->draw(hardest);
  }

 private:
  std::unique_ptr<Sampler> adasample_;
};

}  // namespace

std::unique_ptr<Sampler> make_hardest_sampler(uint64_t seed, Metric metric) {
  return std::make_unique<HardestSampler>(seed, metric);
}

}  // namespace adasample
