// SPDX-License-Identifier: Apache-2.0
#include "adasample/model/tfeat.h"

namespace adasample {

TFeatLayers tfeat_layers(const Weights& weights) {
  weights.check_architecture(kTFeat);
  std::set<std::string> expected;
  const auto layer = [&](const std::string& name, const std::vector<int64_t>& shape) -> TFeatLayer {
    expected.insert({name + ".weight", name + ".bias"});
    return {weights.at(name + ".weight", shape).values, weights.at(name + ".bias", {shape[0]}).values};
  };
  const TFeatLayers layers = {layer("features.1", {32, 1, 7, 7}), layer("features.4", {64, 32, 6, 6}),
                              layer("descr.0", {128, 64 * 8 * 8})};
  weights.refuse_others(expected, kTFeat);
  return layers;
}

}  // namespace adasample
