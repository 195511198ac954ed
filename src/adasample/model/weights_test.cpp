// SPDX-License-Identifier: Apache-2.0
#include "adasample/model/weights.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/expect_error.h"

namespace adasample {
namespace {

using testing::expect_error;

Weights zero_l2net() {
  Weights weights;
  for (const ConvLayer& layer : l2net().layers) {
    const int64_t out = layer.out_channels, in = layer.in_channels, k = layer.kernel;
    weights.arrays[l2net().conv_weight(layer)] = {{out, in, k, k}, std::vector<float>(out * in * k * k)};
    weights.arrays[l2net().running_mean(layer)] = {{out}, std::vector<float>(out)};
    weights.arrays[l2net().running_var(layer)] = {{out}, std::vector<float>(out)};
    weights.arrays[l2net().batches_tracked(layer)] = {{}, {0.0f}};
  }
  return weights;
}

TEST(Weights, AtNamesWhatIsMissing) {
  const Weights weights = zero_l2net();
  EXPECT_EQ(weights.at("features.1.running_mean").values.size(), 32u);
  expect_error([&] { weights.at("features.2.bias"); }, "features.2.bias", "missing");
}

TEST(Weights, AcceptsTheTable) {
  Weights weights = zero_l2net();
  weights.check_against(l2net());
  weights.arrays.erase("features.1.num_batches_tracked");
  weights.check_against(l2net());
}

TEST(Weights, RefusesOtherArrays) {
  Weights missing = zero_l2net();
  missing.arrays.erase("features.19.weight");
  expect_error([&] { missing.check_against(l2net()); }, "features.19.weight", "missing");

  Weights extra = zero_l2net();
  extra.arrays["features.0.bias"] = {{1}, {0.0f}};
  expect_error([&] { extra.check_against(l2net()); }, "features.0.bias", "l2net", "another network");
}

TEST(Weights, RefusesAnotherArchitecture) {
  Weights weights = zero_l2net();
  weights.metadata["architecture"] = "tfeat";
  expect_error([&] { weights.check_against(l2net()); }, "needs a network l2net", "'tfeat'");
  weights.metadata.clear();
  weights.check_against(l2net());
}

TEST(Weights, RefusesWrongShapes) {
  Weights turned = zero_l2net();
  turned.arrays["features.6.weight"].shape = {32, 64, 3, 3};
  expect_error([&] { turned.check_against(l2net()); }, "features.6.weight", "[64, 32, 3, 3]", "[32, 64, 3, 3]");

  Weights cut = zero_l2net();
  cut.arrays["features.6.weight"].values.pop_back();
  expect_error([&] { cut.check_against(l2net()); }, "expected 18432 values, found 18431");

  Weights counter = zero_l2net();
  counter.arrays["features.1.num_batches_tracked"] = {{2}, {0.0f, 0.0f}};
  expect_error([&] { counter.check_against(l2net()); }, "features.1.num_batches_tracked", "[]", "[2]");
}

TEST(Weights, RefusesImpossibleValues) {
  Weights nan = zero_l2net();
  nan.arrays["features.3.weight"].values[7] = NAN;
  expect_error([&] { nan.check_against(l2net()); }, "features.3.weight", "value 7 is nan");

  Weights infinite = zero_l2net();
  infinite.arrays["features.1.running_mean"].values[2] = INFINITY;
  expect_error([&] { infinite.check_against(l2net()); }, "features.1.running_mean", "value 2 is inf");

  Weights negative = zero_l2net();
  negative.arrays["features.20.running_var"].values[127] = -0.5f;
  expect_error([&] { negative.check_against(l2net()); }, "features.20.running_var", "value 127 is -0.5", "variance");
}

}  // namespace
}  // namespace adasample
