// SPDX-License-Identifier: Apache-2.0
// How a run chooses its pairs: decided once from its options, read by every device. In each class an anchor is drawn
// uniformly, and a matching patch i with probability
//   p_i ~ d(x_i, x_anchor)^exponent                                                                        (Eq. 13)
// The samplers differ in the exponent alone:
//   adasample  lambda / L_avg, or 2 alpha - 1 where alpha is given
//   random     0: uniform, whatever the distances
//   hardest    infinity: the farthest, among equally far ones one uniformly (Hardpos)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace adasample {

struct SamplerPolicy {
  enum class Exponent { kZero, kFixed, kOverAverage, kInfinite };
  Exponent exponent = Exponent::kOverAverage;
  double value = 10;             // kFixed: the exponent; kOverAverage: lambda
  bool distance_weights = true;  // w_i ~ 1 / d_i (Eq. 12); false: all 1

  // Whether the draw depends on descriptors: if not, the embedding pass can be left out.
  bool needs_descriptors() const { return exponent != Exponent::kZero; }
  // Patches a class that are embedded to draw and weigh its pair, of k candidates.
  int64_t embedded_patches(int64_t k) const { return needs_descriptors() ? k : distance_weights ? 2 : 0; }
};

// What --sampler takes.
std::vector<std::string> sampler_names();

// `alpha` wins over `lambda`; both are adasample's. Throws a usage Error for an unknown name.
SamplerPolicy make_sampler_policy(const std::string& name, double lambda, const std::optional<double>& alpha,
                                  bool distance_weights);

}  // namespace adasample
