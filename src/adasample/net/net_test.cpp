// SPDX-License-Identifier: Apache-2.0
#include "adasample/net/net.h"

#include <gtest/gtest.h>

#include <cmath>

#include "adasample/net/batch_norm.h"
#include "adasample/net/dropout.h"
#include "adasample/net/folded_net.h"
#include "adasample/net/net_descriptor.h"
#include "tests/support/expect_error.h"
#include "tests/support/golden.h"
#include "tests/support/tensors.h"

namespace adasample {
namespace {

using testing::golden;
using testing::largest_difference;
using testing::matrix_tensor;
using testing::vector_tensor;

// The weights, statistics and patches of golden/hardnet_net: closed formulas, so that no file is needed.
void fill_golden(NetImpl& net) {
  torch::NoGradGuard no_grad;
  const auto parameters = net.named_parameters();
  const auto buffers = net.named_buffers();
  for (size_t q = 0; q < net.table().layers.size(); ++q) {
    const ConvLayer& layer = net.table().layers[q];
    at::Tensor weight = parameters[net.table().conv_weight(layer)];
    const double fan_in = layer.in_channels * layer.kernel * layer.kernel;
    const at::Tensor i = at::arange(weight.numel(), at::kDouble);
    weight.copy_((2 / std::sqrt(fan_in) * at::sin(0.7 * i + 1.3 * q + 0.5)).view(weight.sizes()));
    const at::Tensor c = at::arange(layer.out_channels, at::kDouble);
    buffers[net.table().running_mean(layer)].copy_(0.05 * at::cos(c + static_cast<double>(q)));
    buffers[net.table().running_var(layer)].copy_(0.5 + 0.25 * at::remainder(7 * c + static_cast<double>(q), 5));
  }
}

at::Tensor golden_patches() {
  at::Tensor patches = at::empty({4, 32, 32}, at::kDouble);
  auto value = patches.accessor<double, 3>();
  for (int b = 0; b < 4; ++b) {
    for (int y = 0; y < 32; ++y) {
      for (int x = 0; x < 32; ++x) {
        const double v =
            127.5 + 100 * std::sin(0.31 * x + 0.2 * b) * std::cos(0.23 * y - 0.4 * b) + 20 * ((x * y + b) % 3);
        value[b][y][x] = std::clamp(std::floor(v), 0.0, 255.0);
      }
    }
  }
  return patches;
}

Net golden_net(at::ScalarType type, double dropout = 0) {
  Net net(1, dropout);
  net->to(type);
  fill_golden(*net);
  net->eval();
  return net;
}

TEST(L2Net, HasTheStatedSize) {
  Net net(1);
  int64_t count = 0;
  for (const auto& p : net->parameters()) count += p.numel();
  EXPECT_EQ(count, 1334560);
  EXPECT_EQ(l2net().weight_count(), 1334560);
  EXPECT_EQ(golden("hardnet_net/expected.json")["params_total"], count);
}

TEST(L2Net, GoldenInput) {
  const auto expected = golden("hardnet_net/expected.json");
  const at::Tensor patches = golden_patches();
  EXPECT_EQ(largest_difference(patches.sum({1, 2}), vector_tensor(expected["input_sums"])), 0);
  const at::Tensor normalised = normalise_patches(patches / 255, l2net());
  EXPECT_LT(largest_difference(normalised[0][0][0], vector_tensor(expected["input_norm_patch0_row0"])), 1e-9);
}

TEST(L2Net, GoldenEvaluationMode) {
  const auto expected = golden("hardnet_net/expected.json");
  const at::Tensor patches = golden_patches();
  Net in_double = golden_net(at::kDouble);
  EXPECT_LT(largest_difference(in_double->forward(patches / 255), matrix_tensor(expected["eval_float64"])), 1e-9);
  EXPECT_LT(largest_difference(in_double->forward(patches), matrix_tensor(expected["eval_float64_raw255"])), 1e-9);
  Net in_float = golden_net(at::kFloat);
  const at::Tensor y = in_float->forward(patches.to(at::kByte));
  EXPECT_LT(largest_difference(y, matrix_tensor(expected["eval_float64_raw255"])), 1e-5);
}

TEST(L2Net, GoldenTrainingModeAndGradients) {
  const auto expected = golden("hardnet_net/expected.json");
  for (const auto type : {at::kDouble, at::kFloat}) {
    // In float: 1e-5 on descriptors and 1e-4 relative on gradient norms, as the goldens' page says.
    const double descriptor_bound = type == at::kDouble ? 1e-9 : 1e-5,
                 gradient_bound = type == at::kDouble ? 1e-9 : 1e-4;
    Net net = golden_net(type);
    net->train();
    const at::Tensor y = net->forward((golden_patches() / 255).to(type));
    EXPECT_LT(largest_difference(y, matrix_tensor(expected["train_nodrop_float64"])), descriptor_bound);
    const at::Tensor weight = at::cos(at::arange(4 * 128, at::kDouble)).view({4, 128}).to(type);
    (weight * y).sum().backward();
    const auto norms = expected["train_grad_norm_per_conv"];
    const auto parameters = net->parameters();
    ASSERT_EQ(norms.size(), parameters.size());
    for (size_t q = 0; q < norms.size(); ++q) {
      const double norm = parameters[q].grad().norm().item<double>();
      EXPECT_NEAR(norm / norms[q].get<double>(), 1, gradient_bound) << "convolution " << q;
    }
    const at::Tensor first = vector_tensor(expected["train_grad_conv0"]);
    EXPECT_LT(largest_difference(parameters[0].grad().flatten(), first), gradient_bound);
    const auto buffers = net->named_buffers();
    EXPECT_LT(
        largest_difference(buffers["features.1.running_mean"], vector_tensor(expected["train_bn0_running_mean_after"])),
        descriptor_bound);
    EXPECT_LT(
        largest_difference(buffers["features.1.running_var"], vector_tensor(expected["train_bn0_running_var_after"])),
        descriptor_bound);
  }
}

TEST(L2Net, OrthogonalInitialisation) {
  Net net(7);
  for (const auto& weight : net->parameters()) {
    const at::Tensor w = weight.detach().flatten(1);
    const at::Tensor gram = w.size(0) <= w.size(1) ? w.mm(w.t()) : w.t().mm(w);
    EXPECT_LT(largest_difference(gram, 0.36 * at::eye(gram.size(0))), 1e-5);
  }
  EXPECT_EQ(largest_difference(Net(7)->parameters()[3], net->parameters()[3]), 0);
  EXPECT_GT(largest_difference(Net(8)->parameters()[3], net->parameters()[3]), 0);
}

TEST(L2Net, NoNanForAConstantPatch) {
  Net net(1);
  net->eval();
  const at::Tensor y = net->forward(at::full({2, 32, 32}, 77, at::kByte));
  EXPECT_TRUE(at::isfinite(y).all().item<bool>());
}

TEST(L2Net, WeightsTravelUnderHardNetsNames) {
  Net net(3), other(4);
  const Weights weights = weights_of(*net);
  EXPECT_EQ(weights.arrays.size(), 7u * 4u);
  EXPECT_EQ(weights.at("features.19.weight").shape, (std::vector<int64_t>{128, 128, 8, 8}));
  EXPECT_EQ(weights.at("features.20.running_var").shape, (std::vector<int64_t>{128}));
  load_weights(*other, weights);
  EXPECT_EQ(weights_of(*other), weights);
  Weights broken = weights;
  broken.arrays["features.3.weight"].shape = {32, 32, 9};
  testing::expect_error([&] { load_weights(*other, broken); }, "features.3.weight");
}

TEST(FoldedNet, EqualsEvaluationMode) {
  const at::Tensor patches = golden_patches().to(at::kByte).repeat({20, 1, 1}).narrow(0, 0, 77);
  for (const auto type : {at::kDouble, at::kFloat}) {
    Net net = golden_net(type);
    FoldedNet folded(*net);
    // Float: seven layers, one rounding more per weight.
    EXPECT_LT(largest_difference(folded.embed(patches), net->forward(patches)), type == at::kDouble ? 1e-9 : 1e-5);
    net->parameters()[2].detach().mul_(1.1).add_(0.01);
    EXPECT_GT(largest_difference(folded.embed(patches), net->forward(patches)), 1e-3) << "not refolded yet";
    folded.refold(*net);
    EXPECT_LT(largest_difference(folded.embed(patches), net->forward(patches)), type == at::kDouble ? 1e-9 : 1e-5);
  }
}

TEST(FoldedNet, DescribesBytes) {
  Net net = golden_net(at::kFloat);
  auto descriptor = make_net_descriptor(weights_of(*net), "golden");
  const at::Tensor patches = golden_patches().to(at::kByte).contiguous();
  std::vector<float> out(4 * 128);
  descriptor->describe({patches.data_ptr<uint8_t>(), 4 * 1024}, 4, 32, out);
  EXPECT_LT(largest_difference(at::from_blob(out.data(), {4, 128}), net->forward(patches)), 1e-5);
  testing::expect_error(
      [&] {
        descriptor->describe({patches.data_ptr<uint8_t>(), 2304}, 1, 48, out);
      },
      "48x48", "32x32");
  // Twice the size is halved: every pixel doubled in both directions gives the same descriptors.
  const at::Tensor doubled = patches.repeat_interleave(2, 1).repeat_interleave(2, 2).contiguous();
  std::vector<float> again(4 * 128);
  descriptor->describe({doubled.data_ptr<uint8_t>(), 4 * 4096}, 4, 64, again);
  EXPECT_EQ(again, out);
}

TEST(Dropout, DropsItsShareAndKeepsTheMean) {
  const at::Tensor x = at::empty({16, 32, 8, 8}).contiguous(at::MemoryFormat::ChannelsLast);
  const at::Tensor mask = dropout_mask(x, 0.3, 5);
  EXPECT_EQ(mask.strides(), x.strides());
  EXPECT_NEAR((mask == 0).to(at::kDouble).mean().item<double>(), 0.3, 0.01);  // 4 standard deviations
  EXPECT_NEAR(mask.mean().item<double>(), 1, 0.015);
  EXPECT_TRUE(mask.equal(dropout_mask(x, 0.3, 5)));
  EXPECT_FALSE(mask.equal(dropout_mask(x, 0.3, 6)));
  const at::Tensor rows = (mask == 0).flatten(1).to(at::kDouble).mean(1);  // no patch is spared
  EXPECT_GT(rows.min().item<double>(), 0.25);
  EXPECT_LT(rows.max().item<double>(), 0.35);
}

TEST(Dropout, IsForTrainingAndFollowsTheSeed) {
  Dropout dropout(0.5);
  const at::Tensor x = at::randn({3, 7});
  const auto seeded = [&] {
    torch::manual_seed(3);
    return dropout(x);
  };
  EXPECT_TRUE(seeded().equal(seeded()));
  EXPECT_FALSE(seeded().equal(x));
  EXPECT_FALSE(seeded().equal(dropout(x)));
  dropout->eval();
  EXPECT_TRUE(seeded().equal(x));
}

// Rows 4, 5, 1 of a batch of six have the numbers that they have in the whole batch's mask.
TEST(Dropout, PartsOfABatchHaveTheirRowsOfItsMask) {
  for (const int64_t channels : {128, 3}) {  // four numbers to a hash, or not
    const at::Tensor x = at::zeros({6, channels, 3, 3}).contiguous(at::MemoryFormat::ChannelsLast);
    const at::Tensor whole = dropout_mask(x, 0.4, 77);
    const at::Tensor part = dropout_mask(x.narrow(0, 0, 3), 0.4, 77, {4, 5, 1});
    EXPECT_TRUE(at::equal(part, whole.index_select(0, torch::tensor({4, 5, 1}))));
    EXPECT_FALSE(at::equal(part, whole.narrow(0, 0, 3)));
  }
}

// Against LibTorch's batch norm of the whole batch: output, gradients of input, scale and shift, running statistics. In
// double, where both are good to far more digits than the bound. The other part is computed first and replayed.
TEST(BatchNorm, OfPartsIsThatOfTheWholeBatch) {
  torch::manual_seed(3);
  const at::Tensor x = 2 * at::randn({5, 4, 3, 3}, at::kDouble) + 1, g = at::randn({5, 4, 3, 3}, at::kDouble);
  const auto fresh = [] {
    torch::nn::BatchNorm2d norm(torch::nn::BatchNorm2dOptions(4));
    norm->to(at::kDouble);
    torch::NoGradGuard no_grad;
    norm->weight.copy_(torch::tensor({0.5, 1.0, 2.0, -1.0}, at::kDouble));
    return norm;
  };
  torch::nn::BatchNorm2d whole = fresh();
  const at::Tensor input = x.clone().requires_grad_(), output = whole->forward(input);
  output.backward(g);

  // What each part hands in, forward and backward; the sums are known after a first round of each.
  const std::vector<std::pair<int64_t, int64_t>> parts = {{0, 2}, {2, 3}};
  std::vector<std::vector<std::vector<double>>> handed(2);
  for (int round = 0; round < 3; ++round) {
    std::vector<std::vector<std::vector<double>>> now(2);
    at::Tensor scale = at::zeros({4}, at::kDouble), shift = scale.clone();  // gradients: the parts' add up
    for (size_t p = 0; p < 2; ++p) {
      torch::nn::BatchNorm2d norm = fresh();
      PartOfBatch part{5, {}, [&, p](const std::vector<double>& mine) {
                         std::vector<double> sum = mine;
                         const size_t call = now[p].size();
                         now[p].push_back(mine);
                         if (call < handed[1 - p].size()) {
                           for (size_t i = 0; i < sum.size(); ++i) sum[i] += handed[1 - p][call][i];
                         }
                         return sum;
                       }};
      const auto [first, count] = parts[p];
      const at::Tensor mine = x.narrow(0, first, count).clone().requires_grad_();
      const at::Tensor y = batch_norm_of_part(*norm, mine, part);
      y.backward(g.narrow(0, first, count));
      if (round < 2) continue;
      EXPECT_LT(largest_difference(y.detach(), output.detach().narrow(0, first, count)), 1e-12);
      EXPECT_LT(largest_difference(mine.grad(), input.grad().narrow(0, first, count)), 1e-12);
      scale += norm->weight.grad();
      shift += norm->bias.grad();
      EXPECT_LT(largest_difference(norm->running_mean, whole->running_mean), 1e-12);
      EXPECT_LT(largest_difference(norm->running_var, whole->running_var), 1e-12);
      EXPECT_EQ(norm->num_batches_tracked.item<int64_t>(), 1);
    }
    handed = now;
    if (round < 2) continue;
    EXPECT_LT(largest_difference(scale, whole->weight.grad()), 1e-12);
    EXPECT_LT(largest_difference(shift, whole->bias.grad()), 1e-12);
  }
}

}  // namespace
}  // namespace adasample
