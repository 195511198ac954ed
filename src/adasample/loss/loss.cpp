// SPDX-License-Identifier: Apache-2.0
#include "adasample/loss/loss.h"

#include "adasample/base/error.h"
#include "adasample/loss/terms.h"

namespace adasample {
namespace {

struct Entry {
  const char* name;
  std::unique_ptr<Loss> (*make)(const LossOptions&);
};

constexpr Entry kLosses[] = {{"aht", make_angular_hinge_triplet},
                             {"ht", make_hinge_triplet},
                             {"hardnet", make_hardnet},
                             {"sosnet", make_sosnet},
                             {"hynet", make_hynet},
                             {"dynamic-margin", make_dynamic_margin},
                             {"l2net", make_l2net_loss},
                             {"tfeat", make_tfeat_margin},
                             {"tfeat-ratio", make_tfeat_ratio},
                             {"deepdesc", make_deepdesc},
                             {"doap", make_doap},
                             {"matchnet", make_matchnet}};

}  // namespace

std::vector<std::string> loss_names() {
  std::vector<std::string> names;
  for (const Entry& entry : kLosses) names.emplace_back(entry.name);
  return names;
}

std::unique_ptr<Loss> make_loss(const LossOptions& options) {
  options.validate();
  for (const Entry& entry : kLosses) {
    if (options.name == entry.name) return add_terms(entry.make(options), options.terms);
  }
  ADA_THROW_KIND(kUsage, "loss = '{}', must be one of {}", options.name, fmt::join(loss_names(), ", "));
}

}  // namespace adasample
