// SPDX-License-Identifier: Apache-2.0
#include "adasample/sampler/sampler.h"

#include "adasample/base/error.h"

namespace adasample {
namespace {

struct Entry {
  const char* name;
  std::unique_ptr<Sampler> (*make)(uint64_t, Metric);
};

constexpr Entry kSamplers[] = {
    {"adasample", make_adasample_sampler}, {"random", make_random_sampler}, {"hardest", make_hardest_sampler}};

}  // namespace

std::vector<std::string> sampler_names() {
  std::vector<std::string> names;
  for (const Entry& entry : kSamplers) names.emplace_back(entry.name);
  return names;
}

std::unique_ptr<Sampler> make_sampler(const std::string& name, uint64_t seed, Metric metric) {
  for (const Entry& entry : kSamplers) {
    if (name == entry.name) return entry.make(seed, metric);
  }
  ADA_THROW_KIND(kUsage, "sampler = '{}', must be one of {}", name, fmt::join(sampler_names(), ", "));
}

}  // namespace adasample
