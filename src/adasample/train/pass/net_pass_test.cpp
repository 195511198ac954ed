// SPDX-License-Identifier: Apache-2.0
// The pass against itself: gradients are slopes, machines and numbers of parts agree. Against autograd: cpu_net_test.
#include "adasample/train/pass/net_pass.h"

#include <gtest/gtest.h>

#include <cmath>

#include "adasample/base/random/rng.h"

namespace adasample {
namespace {

using pass::Machine;

std::vector<float> numbers(size_t count, uint64_t seed, double scale) {
  std::vector<float> all(count);
  for (size_t i = 0; i < count; ++i) {
    all[i] = static_cast<float>(scale * (2 * RngKey(seed, Draw::kInit).at(i).uniform() - 1));
  }
  return all;
}

struct Setting {
  explicit Setting(int64_t patches) : m(patches) {
    images = numbers(static_cast<size_t>(m) * 1024, 1, 1.7);
    direction = numbers(static_cast<size_t>(m) * 128, 2, 1);
    for (size_t i = 0; i < NetPass::kLayers; ++i) {
      const ConvLayer& l = l2net().layers[i];
      const auto fan = static_cast<size_t>(l.in_channels * l.kernel * l.kernel);
      weights.push_back(numbers(fan * static_cast<size_t>(l.out_channels), 10 + i, std::sqrt(6. / double(fan))));
      expected.emplace_back(l.out_channels, 0.f);
    }
  }
  NetPass::Network network() const {
    NetPass::Network all;
    for (size_t i = 0; i < NetPass::kLayers; ++i) {
      all.weights[i] = weights[i].data();
      all.expected[i] = expected[i].data();
    }
    return all;
  }
  // A number that depends on every descriptor: the sum of their products with `direction`.
  double value(NetPass& pass) const {
    std::vector<float> y(direction.size());
    pass.forward(images.data(), m, network(), nullptr, y.data());
    double sum = 0;
    for (size_t i = 0; i < y.size(); ++i) sum += double{y[i]} * double{direction[i]};
    return sum;
  }
  std::vector<std::vector<float>> gradients(NetPass& pass) const {
    value(pass);
    std::vector<std::vector<float>> all;
    std::array<float*, NetPass::kLayers> to = {};
    for (size_t i = 0; i < NetPass::kLayers; ++i) {
      all.emplace_back(weights[i].size());
      to[i] = all[i].data();
    }
    pass.backward(direction.data(), to);
    return all;
  }

  int64_t m;
  std::vector<float> images, direction;
  std::vector<std::vector<float>> weights, expected;
};

double length(const std::vector<float>& values) {
  double squares = 0;
  for (const float value : values) squares += double{value} * double{value};
  return std::sqrt(squares);
}

double relative_difference(const std::vector<float>& a, const std::vector<float>& b) {
  std::vector<float> difference(a.size());
  for (size_t i = 0; i < a.size(); ++i) difference[i] = a[i] - b[i];
  return length(difference) / length(b);
}

// A step along the gradient of one layer changes the value by its length times the gradient's. The bound has room for
// the curvature within a step of a thousandth, and for the ReLUs that it turns.
TEST(NetPass, GradientsAreSlopes) {
  const Setting at(5);
  NetPass pass(l2net(), pass::machine_here(), 2);
  const auto gradients = at.gradients(pass);
  for (size_t layer = 0; layer < NetPass::kLayers; ++layer) {
    const double size = length(gradients[layer]);
    const double step = 1e-3 * length(at.weights[layer]);
    const auto moved = [&](double by) {
      Setting other = at;
      for (size_t i = 0; i < other.weights[layer].size(); ++i) {
        other.weights[layer][i] += static_cast<float>(by * double{gradients[layer][i]} / size);
      }
      return other.value(pass);
    };
    EXPECT_NEAR((moved(step) - moved(-step)) / (2 * step) / size, 1, 0.02) << "layer " << layer + 1;
  }
}

// Other blocks, other sums: rounding differs, nothing else.
TEST(NetPass, StatisticsDoNotDependOnMachineOrParts) {
  const Setting at(21);
  NetPass one(l2net(), Machine::kAny, 1), many(l2net(), pass::machine_here(), 4);
  at.value(one);
  at.value(many);
  for (size_t layer = 0; layer < NetPass::kLayers; ++layer) {
    const NetPass::Statistics &a = one.statistics()[layer], &b = many.statistics()[layer];
    ASSERT_EQ(a.mean.size(), b.mean.size());
    EXPECT_EQ(a.count, b.count);
    for (size_t c = 0; c < a.mean.size(); ++c) {
      EXPECT_NEAR(a.mean[c], b.mean[c], 2e-5 * std::sqrt(a.variance[c])) << "layer " << layer + 1;
      EXPECT_NEAR(a.variance[c], b.variance[c], 2e-5 * a.variance[c]) << "layer " << layer + 1;
    }
  }
}

// What is expected of a mean only serves the arithmetic: far off, a few digits are lost.
TEST(NetPass, ExpectedMeansDoNotMatter) {
  Setting at(8);
  NetPass pass(l2net(), pass::machine_here(), 2);
  const auto gradients = at.gradients(pass);
  for (auto& expected : at.expected) std::fill(expected.begin(), expected.end(), 0.5f);
  at.value(pass);
  const double mean = pass.statistics()[3].mean[7];
  for (auto& expected : at.expected) std::fill(expected.begin(), expected.end(), -0.5f);
  const auto others = at.gradients(pass);
  EXPECT_NEAR(pass.statistics()[3].mean[7], mean, 1e-5);
  EXPECT_LT(relative_difference(others[6], gradients[6]), 1e-4);
}

// More parts than patches: some have nothing to do.
TEST(NetPass, TwoPatchesByFourParts) {
  const Setting at(2);
  NetPass one(l2net(), pass::machine_here(), 1), many(l2net(), pass::machine_here(), 4);
  EXPECT_NEAR(at.value(one), at.value(many), 1e-3);
}

TEST(NetPass, InstructionSetsHaveNames) {
  EXPECT_EQ(pass::to_string(Machine::kAvx512), "avx512");
  EXPECT_EQ(pass::to_string(Machine::kAvx2), "avx2");
  EXPECT_EQ(pass::to_string(Machine::kAny), "any");
}

}  // namespace
}  // namespace adasample
