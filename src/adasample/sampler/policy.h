// SPDX-License-Identifier: Apache-2.0
// How a run chooses its pairs: decided once from its options, read by every device. In each class an anchor is drawn
// uniformly, and a matching patch i with probability
//   p_i ~ d(x_i, x_anchor)^exponent                                                                        (Eq. 13)
// The samplers differ in the exponent alone:
//   adasample  lambda / L_avg, or 2 alpha - 1 where alpha is given
//   random     0: uniform, whatever the distances
//   hardest    infinity: the farthest, among equally far ones one uniformly (Hardpos)
// and the pair counts in the step with a weight (pair_weights.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace adasample {

// none: all 1. distance: ~ 1/d, Eq. 12. eq9: ~ Z/d, with what a draw within its class leaves out. class: ~ 1/d over
// what it is expected to be in its class.
enum class PairWeights { kNone, kDistance, kEq9, kClass };

// What stands for d in Eq. 13 (informativeness.h).
enum class Informativeness { kDistance, kResidual, kStrength, kGradient };

struct SamplerPolicy {
  enum class Exponent { kZero, kFixed, kOverAverage, kInfinite };
  Exponent exponent = Exponent::kOverAverage;
  double value = 10;  // kFixed: the exponent; kOverAverage: lambda
  PairWeights weights = PairWeights::kDistance;
  Informativeness informativeness = Informativeness::kDistance;
  double margin = 1;  // t of the hinge, which a residual is measured from

  // Whether draw or weights depend on the descriptors of all candidates: if not, the embedding pass can be left out.
  // A uniform draw has Z/m = 1, so that eq9 needs no more than distance.
  bool needs_descriptors() const { return exponent != Exponent::kZero || weights == PairWeights::kClass; }
  // Patches a class that are embedded to draw and weigh its pair, of k candidates.
  int64_t embedded_patches(int64_t k) const { return needs_descriptors() ? k : weights == PairWeights::kNone ? 0 : 2; }
};

// What --sampler, --weights and --informativeness take.
std::vector<std::string> sampler_names();
std::vector<std::string> weight_names();
std::vector<std::string> informativeness_names();

// `alpha` wins over `lambda`; both are adasample's. Throws a usage Error for an unknown name.
SamplerPolicy make_sampler_policy(const std::string& name, double lambda, const std::optional<double>& alpha,
                                  const std::string& weights, const std::string& informativeness = "distance");

}  // namespace adasample
