// SPDX-License-Identifier: Apache-2.0
#include "adasample/engine/onednn/quantise.h"

#include <gtest/gtest.h>

#include <cmath>

namespace adasample {
namespace {

TEST(Quantise, AStepForEachChannel) {
  const FoldedLayer layer{{1, 3, 1, 1, 0, true, false, 0}, {0.5f, -254, 0}, {1, -2, 3}};
  const QuantisedLayer q = quantise(layer, 0.1f, 0.2f);
  EXPECT_EQ(q.weight, (std::vector<int8_t>{127, -127, 0}));
  // An input of 40 steps is 4: y = w 4 + b, in steps of 0.2.
  const float expected[] = {(0.5f * 4 + 1) / 0.2f, (-254.f * 4 - 2) / 0.2f, 3 / 0.2f};
  for (size_t o = 0; o < 3; ++o) {
    EXPECT_NEAR((40.f * q.weight[o] + q.bias[o]) * q.multiplier[o], expected[o], 1e-5 * std::abs(expected[o])) << o;
  }
}

}  // namespace
}  // namespace adasample
