// SPDX-License-Identifier: Apache-2.0
// The pass of own kernels against LibTorch's autograd, in double precision where numbers are compared closely.
#include "adasample/train/cpu_net.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "adasample/base/random/rng.h"

namespace adasample {
namespace {

constexpr int64_t kSize = 32;

// Patches with structure, so that neighbouring pixels depend on each other as those of photographs do.
at::Tensor made_up_patches(int64_t m, uint64_t seed) {
  at::Tensor patches = at::empty({m, kSize, kSize}, at::kByte);
  auto* out = patches.data_ptr<uint8_t>();
  for (int64_t i = 0; i < patches.numel(); ++i) {
    const int64_t patch = i / (kSize * kSize), y = i / kSize % kSize, x = i % kSize;
    const RngKey key = RngKey(seed, Draw::kScene).at(static_cast<uint64_t>(patch));
    const uint64_t coarse = key.at(static_cast<uint64_t>(y / 4 * 8 + x / 4)).bits() >> 57;
    const uint64_t fine = key.at(static_cast<uint64_t>(1000 + y * kSize + x)).bits() >> 57;
    out[i] = static_cast<uint8_t>(coarse + fine);
  }
  return patches;
}

double relative_difference(const at::Tensor& found, const at::Tensor& expected) {
  return ((found.to(at::kDouble) - expected.to(at::kDouble)).norm() / expected.to(at::kDouble).norm()).item<double>();
}

struct Outcome {
  at::Tensor descriptors;
  std::vector<at::Tensor> gradients, statistics;
};

// A step's passes: each over its own patches, one gradient for all descriptors.
template <typename Forward>
Outcome outcome(NetImpl& net, const std::vector<at::Tensor>& batches, const Forward& forward, uint64_t seed = 0) {
  torch::manual_seed(seed);  // of dropout
  for (const at::Tensor& parameter : net.parameters()) parameter.mutable_grad() = at::Tensor();
  std::vector<at::Tensor> parts;
  for (const at::Tensor& batch : batches) parts.push_back(forward(batch));
  const at::Tensor y = at::cat(parts);
  const at::Tensor weights = at::cos(at::arange(y.numel(), at::kDouble) * 1.7).view(y.sizes()).to(y.dtype());
  (y * weights).sum().backward();
  Outcome all{y.detach().clone(), {}, {}};
  for (const at::Tensor& parameter : net.parameters()) all.gradients.push_back(parameter.grad().clone());
  return all;
}

Net copy_of(const Net& net, double dropout) {
  Net copy(0, dropout);
  load_weights(*copy, weights_of(*net));
  return copy;
}

Outcome by_autograd(const Net& net, const std::vector<at::Tensor>& batches, double dropout, at::ScalarType type) {
  Net copy = copy_of(net, dropout);
  copy->to(type);
  copy->train();
  Outcome all = outcome(*copy, batches, [&](const at::Tensor& x) { return copy->forward(x); });
  for (const at::Tensor& buffer : copy->buffers()) all.statistics.push_back(buffer.clone());
  return all;
}

Outcome by_own_kernels(const Net& net, const std::vector<at::Tensor>& batches, double dropout, pass::Machine machine,
                       int threads, uint64_t seed = 0) {
  Net copy = copy_of(net, 0);
  CpuTrainingNet own(*copy, dropout, machine, threads);
  Outcome all = outcome(
      *copy, batches, [&](const at::Tensor& x) { return own.forward(x); }, seed);
  own.end(torch::tensor(true));
  for (const at::Tensor& buffer : copy->buffers()) all.statistics.push_back(buffer.clone());
  return all;
}

// How near a ReLU's input comes to 0 anywhere, in double precision. Nearer than rounding errors, and single precision
// takes the other side, by whatever code: gradients then jump by a thousandth and say nothing about the arithmetic.
double nearest_to_zero(const Net& net, const at::Tensor& patches) {
  torch::NoGradGuard no_grad;
  at::Tensor x = normalise_patches(patches.to(at::kDouble), l2net());
  const auto parameters = net->named_parameters();
  double nearest = 1;
  for (const ConvLayer& layer : l2net().layers) {
    if (!layer.relu) break;
    x = at::conv2d(x, parameters[l2net().conv_weight(layer)].to(at::kDouble), {}, layer.stride, layer.padding);
    const auto [variance, mean] = at::var_mean(x, at::IntArrayRef{0, 2, 3}, /*unbiased=*/false, /*keepdim=*/true);
    x = (x - mean) / (variance + l2net().batch_norm_epsilon).sqrt();
    nearest = std::min(nearest, x.abs().min().item<double>());
    x = x.relu();
  }
  return nearest;
}

std::vector<pass::Machine> machines() {
  std::vector<pass::Machine> all = {pass::Machine::kAny};
  if (pass::machine_here() != pass::Machine::kAny) all.push_back(pass::Machine::kAvx2);
  if (pass::machine_here() == pass::Machine::kAvx512) all.push_back(pass::Machine::kAvx512);
  return all;
}

TEST(CpuNet, GradientsAreAutogradsToOneInAHundredThousand) {
  const Net net(3);
  at::Tensor patches;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    patches = made_up_patches(7, seed);  // blocks of every layer's size are begun and not filled
    if (nearest_to_zero(net, patches) > 5e-6) break;
  }
  ASSERT_GT(nearest_to_zero(net, patches), 5e-6);
  const Outcome expected = by_autograd(net, {patches}, 0, at::kDouble);
  for (const pass::Machine machine : machines()) {
    for (const int threads : {1, 3}) {
      SCOPED_TRACE(fmt::format("{}, {} threads", pass::to_string(machine), threads));
      const Outcome found = by_own_kernels(net, {patches}, 0, machine, threads);
      EXPECT_LT(relative_difference(found.descriptors, expected.descriptors), 1e-5);
      ASSERT_EQ(found.gradients.size(), expected.gradients.size());
      for (size_t i = 0; i < found.gradients.size(); ++i) {
        EXPECT_LT(relative_difference(found.gradients[i], expected.gradients[i]), 1e-5) << "layer " << i + 1;
      }
      for (size_t i = 0; i < found.statistics.size(); ++i) {
        EXPECT_LT(relative_difference(found.statistics[i], expected.statistics[i]), 3e-6) << "buffer " << i;
      }
    }
  }
}

// More than a block of every layer, and two passes with statistics of their own. A few ReLUs fall on the other side of
// 0 here, whence the wide bound (golden_step_test.cpp has the arithmetic); a block or a tile forgotten makes 0.05.
TEST(CpuNet, AgreesOverManyBlocksAndTwoPasses) {
  const Net net(4);
  const std::vector<at::Tensor> batches = {made_up_patches(45, 1), made_up_patches(70, 2)};
  const Outcome expected = by_autograd(net, batches, 0, at::kDouble);
  const Outcome found = by_own_kernels(net, batches, 0, pass::machine_here(), 2);
  EXPECT_LT(relative_difference(found.descriptors, expected.descriptors), 1e-5);
  for (size_t i = 0; i < found.gradients.size(); ++i) {
    EXPECT_LT(relative_difference(found.gradients[i], expected.gradients[i]), 1e-2) << "layer " << i + 1;
  }
  for (size_t i = 0; i < found.statistics.size(); ++i) {
    EXPECT_LT(relative_difference(found.statistics[i], expected.statistics[i]), 3e-6) << "buffer " << i;
  }
}

// The same numbers are dropped as by the module: with other masks descriptors have little in common.
TEST(CpuNet, DropsWhatTheModuleDrops) {
  constexpr double kDropout = 0.4;
  const Net net(5);
  const std::vector<at::Tensor> batches = {made_up_patches(20, 3), made_up_patches(20, 4)};
  const Outcome expected = by_autograd(net, batches, kDropout, at::kFloat);
  const Outcome found = by_own_kernels(net, batches, kDropout, pass::machine_here(), 2);
  EXPECT_LT(relative_difference(found.descriptors, expected.descriptors), 2e-5);
  for (size_t i = 0; i < found.gradients.size(); ++i) {
    EXPECT_LT(relative_difference(found.gradients[i], expected.gradients[i]), 1e-2) << "layer " << i + 1;
  }
  const Outcome other = by_own_kernels(net, batches, kDropout, pass::machine_here(), 2, /*seed=*/1);
  EXPECT_GT(relative_difference(other.descriptors, expected.descriptors), 0.1);
}

TEST(CpuNet, IsTheSameBitForBitEachTime) {
  const Net net(6);
  const std::vector<at::Tensor> batches = {made_up_patches(33, 5)};
  const Outcome first = by_own_kernels(net, batches, 0, pass::machine_here(), 3);
  const Outcome second = by_own_kernels(net, batches, 0, pass::machine_here(), 3);
  EXPECT_TRUE(first.descriptors.equal(second.descriptors));
  for (size_t i = 0; i < first.gradients.size(); ++i) EXPECT_TRUE(first.gradients[i].equal(second.gradients[i]));
}

// Memory of a larger batch before must not show in a smaller one.
TEST(CpuNet, ForgetsThePassesBefore) {
  Net net(7);
  const std::vector<at::Tensor> small = {made_up_patches(9, 6)};
  const Outcome expected = by_own_kernels(net, small, 0, pass::machine_here(), 2);
  CpuTrainingNet own(*net, 0, pass::machine_here(), 2);
  outcome(*net, {made_up_patches(50, 7), made_up_patches(9, 8)}, [&](const at::Tensor& x) { return own.forward(x); });
  own.end(torch::tensor(false));
  const Outcome found = outcome(*net, small, [&](const at::Tensor& x) { return own.forward(x); });
  EXPECT_TRUE(found.descriptors.equal(expected.descriptors));
  for (size_t i = 0; i < found.gradients.size(); ++i) EXPECT_TRUE(found.gradients[i].equal(expected.gradients[i]));
}

TEST(CpuNet, StatisticsStayWhereTheStepWasNotTaken) {
  Net net(8);
  std::vector<at::Tensor> before;
  for (const at::Tensor& buffer : net->buffers()) before.push_back(buffer.clone());
  CpuTrainingNet own(*net, 0, pass::machine_here(), 1);
  own.forward(made_up_patches(4, 9));
  own.end(torch::tensor(false));
  for (size_t i = 0; i < before.size(); ++i) EXPECT_TRUE(net->buffers()[i].equal(before[i]));
  own.forward(made_up_patches(4, 9));
  own.end(torch::tensor(true));
  for (size_t i = 0; i < before.size(); ++i) EXPECT_FALSE(net->buffers()[i].equal(before[i]));
}

// A weight that is no number must not be hidden by ReLU: the step has to be refused.
TEST(CpuNet, WhatIsNotANumberReachesTheGradients) {
  Net net(9);
  {
    torch::NoGradGuard no_grad;
    net->parameters()[2][0][5][1][1] = std::nan("");
  }
  CpuTrainingNet own(*net, 0, pass::machine_here(), 1);
  const Outcome found = outcome(*net, {made_up_patches(6, 10)}, [&](const at::Tensor& x) { return own.forward(x); });
  bool finite = true;
  for (const at::Tensor& gradient : found.gradients) finite = finite && at::isfinite(gradient).all().item<bool>();
  EXPECT_FALSE(finite);
}

}  // namespace
}  // namespace adasample
