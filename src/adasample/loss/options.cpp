// SPDX-License-Identifier: Apache-2.0
#include "adasample/loss/options.h"

#include <cmath>

#include "adasample/base/error.h"

namespace adasample {

std::string_view to_string(Negatives negatives) {
  switch (negatives) {
    case Negatives::kEq14:
      return "eq14";
    case Negatives::kCross:
      return "cross";
    case Negatives::kAll:
      return "all";
  }
  ADA_THROW_KIND(kBug, "unknown Negatives");
}

std::vector<std::string> negatives_names() { return {"eq14", "cross", "all"}; }

Negatives parse_negatives(std::string_view name) {
  for (const Negatives n : {Negatives::kEq14, Negatives::kCross, Negatives::kAll}) {
    if (to_string(n) == name) return n;
  }
  ADA_THROW_KIND(kUsage, "negatives = '{}', must be eq14, cross or all", name);
}

void LossOptions::validate() const {
  ADA_USAGE(std::isfinite(margin) && margin > 0, "margin = {}, must be positive", margin);
  ADA_USAGE(mining.duplicate_distance >= 0 && mining.duplicate_distance < 2,
            "duplicate distance = {}, must be in [0, 2)", mining.duplicate_distance);
}

}  // namespace adasample
