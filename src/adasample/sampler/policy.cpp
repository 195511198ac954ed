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

struct NamedWeights {
  const char* name;
  PairWeights weights;
};

constexpr NamedWeights kWeights[] = {{"none", PairWeights::kNone},
                                     {"distance", PairWeights::kDistance},
                                     {"eq9", PairWeights::kEq9},
                                     {"class", PairWeights::kClass}};

struct NamedInformativeness {
  const char* name;
  Informativeness informativeness;
};

constexpr NamedInformativeness kInformativeness[] = {{"distance", Informativeness::kDistance},
                                                     {"residual", Informativeness::kResidual},
                                                     {"strength", Informativeness::kStrength},
                                                     {"gradient", Informativeness::kGradient}};

template <typename Named>
std::vector<std::string> names_of(const Named& table) {
  std::vector<std::string> names;
  for (const auto& entry : table) names.emplace_back(entry.name);
  return names;
}

template <typename Named>
const auto& find_named(const Named& table, const char* what, const std::string& name) {
  for (const auto& entry : table) {
    if (name == entry.name) return entry;
  }
  ADA_THROW_KIND(kUsage, "{} = '{}', must be one of {}", what, name, fmt::join(names_of(table), ", "));
}

}  // namespace

std::vector<std::string> sampler_names() { return names_of(kPolicies); }
std::vector<std::string> weight_names() { return names_of(kWeights); }
std::vector<std::string> informativeness_names() { return names_of(kInformativeness); }

SamplerPolicy make_sampler_policy(const std::string& name, double lambda, const std::optional<double>& alpha,
                                  const std::string& weights, const std::string& informativeness) {
  SamplerPolicy policy = find_named(kPolicies, "sampler", name).make(lambda, alpha);
  policy.weights = find_named(kWeights, "weights", weights).weights;
  policy.informativeness = find_named(kInformativeness, "informativeness", informativeness).informativeness;
  ADA_USAGE(policy.informativeness == Informativeness::kDistance || policy.weights != PairWeights::kEq9,
            "weights = eq9 are derived for informativeness = distance, not for {}", informativeness);
  return policy;
}

}  // namespace adasample
