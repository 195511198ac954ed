// SPDX-License-Identifier: Apache-2.0
#include "adasample/model/random_weights.h"

#include <gtest/gtest.h>

#include <cmath>

namespace adasample {
namespace {

TEST(RandomWeights, AreOfTheTableAndOfTheSeed) {
  const Weights weights = random_weights(l2net(), 3);
  weights.check_against(l2net());
  EXPECT_EQ(weights, random_weights(l2net(), 3));
  EXPECT_NE(weights.arrays, random_weights(l2net(), 4).arrays);
  EXPECT_EQ(parse_safetensors(format_safetensors(weights), "w"), weights) << "a file of them is a file of weights";
}

TEST(RandomWeights, VarianceIsTwoOverFanIn) {
  const Weights weights = random_weights(l2net(), 0);
  for (const ConvLayer& layer : l2net().layers) {
    const std::vector<float>& values = weights.at(l2net().conv_weight(layer)).values;
    double squares = 0;
    for (const float value : values) squares += double{value} * value;
    const double fan_in = layer.in_channels * layer.kernel * layer.kernel, n = static_cast<double>(values.size());
    // The mean of n squares of normal numbers deviates by sqrt(2 / n); five of those.
    EXPECT_NEAR(squares / n * fan_in / 2, 1, 5 * std::sqrt(2 / n)) << layer.sequence_index;
  }
}

}  // namespace
}  // namespace adasample
