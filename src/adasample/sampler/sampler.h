// SPDX-License-Identifier: Apache-2.0
// Which pair of a class to train on: an anchor drawn uniformly, and a matching patch i drawn with probability
//   p_i ~ d(x_i, x_anchor)^exponent                                                                        (Eq. 13)
//   adasample  exponent = lambda / L_avg       random  exponent = 0       hardest  exponent = infinity (Hardpos)
// All three share one draw: exponent 0 and infinity give exactly what `random` and `hardest` give for the same seed.
#pragma once

#include <torch/torch.h>

#include <memory>
#include <string>
#include <vector>

#include "adasample/loss/distance.h"
#include "adasample/sampler/names.h"

namespace adasample {

struct SamplerInput {
  int64_t k = 0;           // slots a class
  at::Tensor descriptors;  // (n, k, D); may be undefined for a sampler that does not need them
  at::Tensor counts;       // (n) int64: class c has its patches at 0..count-1, the rest is padding; count >= 2
  at::Tensor classes;      // (n) int64: names of the classes, part of the key of every draw
  at::Tensor iteration;    // () int64
  at::Tensor exponent;     // () floating: lambda / L_avg, times the warm-up's ramp; may be infinite
};

struct PairDraw {
  at::Tensor anchor, positive;  // (n) int64 in [0, count), never equal
  at::Tensor distance;          // (n) d between them; undefined where descriptors were not given
  at::Tensor probability;       // (n, k) p, zero for the anchor and for padding
};

// Mean over classes of H(p) / log(count - 1): 1 for uniform p, 0 where one patch takes all. Classes of two patches
// count as 1.
at::Tensor sampling_entropy(const PairDraw& draw, const at::Tensor& counts);

// w_i = (1/d_i) / mean(1/d), d floored at `floor`: constants under differentiation. (n)
at::Tensor distance_weights(const at::Tensor& distance, double floor = 1e-2);

class Sampler {
 public:
  virtual ~Sampler() = default;
  // Whether the draw depends on descriptors: if not, the embedding pass can be left out.
  virtual bool needs_descriptors() const = 0;
  virtual PairDraw draw(const SamplerInput& input) const = 0;
};

// `metric` is the loss's own.
std::unique_ptr<Sampler> make_sampler(const std::string& name, uint64_t seed, Metric metric);

std::unique_ptr<Sampler> make_adasample_sampler(uint64_t seed, Metric metric);
std::unique_ptr<Sampler> make_random_sampler(uint64_t seed, Metric metric);
std::unique_ptr<Sampler> make_hardest_sampler(uint64_t seed, Metric metric);

}  // namespace adasample
