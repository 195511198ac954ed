// SPDX-License-Identifier: Apache-2.0
#include "adasample/experiment/heldout_pairs.h"

#include <nlohmann/json.hpp>

#include "adasample/eval/scores/pair_curves.h"
#include "adasample/eval/scores/pair_evaluation.h"

namespace adasample {

HeldoutPairs::Scored HeldoutPairs::score(Descriptor& descriptor, const std::string& name) const {
  const std::vector<double> distances = measure_pairs(pairs_, source_of(store_), descriptor);
  return {score_pairs(pairs_.labels, distances), curves_json(name, pairs_.labels, distances).dump() + "\n"};
}

}  // namespace adasample
