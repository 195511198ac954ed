// SPDX-License-Identifier: Apache-2.0
#include "adasample/model/folded_weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "adasample/model/random_weights.h"

namespace adasample {
namespace {

// A folded layer is w / sqrt(v + eps) with the bias -mean / sqrt(v + eps); where v is small, eps is most of it.
TEST(FoldedWeights, BatchNormWithItsEpsilon) {
  const LayerTable& table = l2net();
  Weights weights = random_weights(table, 3);
  const ConvLayer& layer = table.layers[2];
  std::vector<float>& variance = weights.arrays.at(table.running_var(layer)).values;
  variance[0] = 0;
  variance[1] = 1e-5f;
  const std::vector<float>&weight = weights.at(table.conv_weight(layer)).values,
        &mean = weights.at(table.running_mean(layer)).values;
  const FoldedLayer folded = fold_batch_norm(weights, table)[2];
  const size_t fan_in = weight.size() / mean.size();
  for (size_t o = 0; o < mean.size(); ++o) {
    const double scale = 1 / std::sqrt(double{variance[o]} + 1e-5);
    // One rounding to float.
    EXPECT_NEAR(folded.bias[o], -mean[o] * scale, 1e-7 * scale) << o;
    for (size_t i = o * fan_in; i < (o + 1) * fan_in; ++i) {
      ASSERT_NEAR(folded.weight[i], weight[i] * scale, 1e-7 * scale) << i;
    }
  }
}

TEST(FoldedWeights, PatchesHaveMeanZeroAndUnbiasedDeviationOne) {
  std::vector<uint8_t> patch(16);
  std::iota(patch.begin(), patch.end(), uint8_t{100});
  std::vector<float> out(16);
  normalise_patch(patch.data(), 4, 1e-7, out.data());
  double sum = 0, squares = 0;
  for (const float value : out) {
    sum += value;
    squares += double{value} * value;
  }
  EXPECT_NEAR(sum, 0, 1e-5);
  EXPECT_NEAR(squares / 15, 1, 1e-6) << "of n - 1";
}

TEST(FoldedWeights, DescriptorsHaveLengthOne) {
  std::vector<float> y = {3, -4, 12};
  normalise_descriptor(y.data(), 3, 1e-10);
  EXPECT_NEAR(y[0], 3.0 / 13, 1e-7);
  EXPECT_NEAR(y[1], -4.0 / 13, 1e-7);
  std::vector<float> zero(3);
  normalise_descriptor(zero.data(), 3, 1e-10);
  EXPECT_EQ(zero, std::vector<float>(3));
}

}  // namespace
}  // namespace adasample
