// SPDX-License-Identifier: Apache-2.0
#include "adasample/sampler/policy.h"

#include <cmath>

#include "adasample/base/error.h"

namespace adasample {
namespace {

using Exponent = SamplerPolicy::Exponent;

SamplerPolicy adasample_policy(double lambda, const std::optional<double>& alpha) {
  if (alpha) return {Exponent::kFixed, 2 * *alpha - 1};
  if (std::isinf(lambda)) return {Exponent::kInfinite, lambda};
  return {Exponent::kOverAverage, lambda};
}

SamplerPolicy random_policy(double, const std::optional<double>&) { return {Exponent::kZero, 0}; }

SamplerPolicy hardest_policy(double, const std::optional<double>&) { return {Exponent::kInfinite, HUGE_VAL}; }

struct NamedPolicy {
  const char* name;
  SamplerPolicy (*make)(double lambda, const std::optional<double>& alpha);
};

constexpr NamedPolicy kPolicies[] = {
    {"adasample", adasample_policy}, {"random", random_policy}, {"hardest", hardest_policy}};

}  // namespace

std::vector<std::string> sampler_names() {
  std::vector<std::string> names;
  for (const NamedPolicy& policy : kPolicies) names.emplace_back(policy.name);
  return names;
}

SamplerPolicy make_sampler_policy(const std::string& name, double lambda, const std::optional<double>& alpha,
                                  bool distance_weights) {
  for (const NamedPolicy& named : kPolicies) {
    if (name != named.name) continue;
    SamplerPolicy policy = named.make(lambda, alpha);
    policy.distance_weights = distance_weights;
    return policy;
  }
  ADA_THROW_KIND(kUsage, "sampler = '{}', must be one of {}", name, fmt::join(sampler_names(), ", "));
}

}  // namespace adasample
