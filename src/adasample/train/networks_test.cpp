// SPDX-License-Identifier: Apache-2.0
// Every network, and one with every kind of layer, by LibTorch and by plain loops: two readings of the same table.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "adasample/engine/reference_net.h"
#include "adasample/model/learned_metric.h"
#include "adasample/model/random_weights.h"
#include "adasample/net/folded_net.h"
#include "adasample/net/net.h"

namespace adasample {
namespace {

// No such network was published; it has what those that were have, and what they might have.
Network everything() {
  using K = LayerKind;
  const std::vector<NetLayer> first = {
      {.kind = K::kConvolution, .name = "a.0", .channels = 4, .kernel = 3, .padding = 1},
      {.kind = K::kBatchNorm, .name = "a.1", .affine = true, .epsilon = 1e-5},
      {.kind = K::kRelu},
      {.kind = K::kAveragePool, .kernel = 2, .stride = 2},
      {.kind = K::kInstanceNorm, .epsilon = 1e-5},
      {.kind = K::kConvolution, .name = "a.2", .channels = 6, .kernel = 5, .stride = 2, .padding = 2, .bias = true},
      {.kind = K::kFilterResponse, .name = "a.3", .epsilon = 1e-6},
      {.kind = K::kTlu, .name = "a.4"},
      {.kind = K::kL2Pool, .kernel = 2, .stride = 2, .epsilon = 1e-12},
      {.kind = K::kDropout, .rate = 0.5},
      {.kind = K::kFullyConnected, .name = "a.5", .channels = 7, .bias = true},
      {.kind = K::kTanh}};
  const std::vector<NetLayer> second = {
      {.kind = K::kConvolution, .name = "b.0", .channels = 3, .kernel = 7, .stride = 3},
      {.kind = K::kTanh},
      {.kind = K::kMaxPool, .kernel = 3, .stride = 2, .padding_after = 1},
      {.kind = K::kConvolution, .name = "b.1", .channels = 4, .kernel = 3, .stride = 2, .padding_after = 2},
      {.kind = K::kFullyConnected, .name = "b.2", .channels = 5}};
  const std::vector<NetLayer> metric = {{.kind = K::kFullyConnected, .name = "m.0", .channels = 9, .bias = true},
                                        {.kind = K::kRelu},
                                        {.kind = K::kFullyConnected, .name = "m.1", .channels = 2}};
  return {.name = "everything",
          .summary = "",
          .input_size = 32,
          .descriptor_size = 12,
          .input_norm = InputNorm::kFixed,
          .towers = {{"a", TowerView::kWhole, first}, {"b", TowerView::kCentre, second}},
          .metric = metric};
}

void expect_one_network(const Network& network) {
  SCOPED_TRACE(network.name);
  constexpr int64_t kCount = 3;
  const Weights weights = random_weights(network, 11);
  Net net(1, std::nullopt, network);
  load_weights(*net, weights);
  torch::manual_seed(5);
  const at::Tensor patches = at::randint(0, 256, {kCount, network.input_size, network.input_size}, at::kByte);
  const at::Tensor rows = net->describe(patches);
  ASSERT_EQ(rows.sizes(), (std::vector<int64_t>{kCount, network.descriptor_size}));
  EXPECT_TRUE(FoldedNet(*net).embed(patches).allclose(rows, 1e-4, 1e-5));
  const ReferenceNet reference(weights, network);
  std::vector<float> expected(static_cast<size_t>(network.descriptor_size));
  for (int64_t i = 0; i < kCount; ++i) {
    reference.describe(patches[i].data_ptr<uint8_t>(), expected.data());
    const at::Tensor plain = at::from_blob(expected.data(), {network.descriptor_size}, at::kFloat);
    EXPECT_LT((rows[i] - plain).abs().max().item<double>(), 2e-5);  // fp32 sums against double
    EXPECT_GT(plain.abs().max().item<double>(), 0.01);
  }
  // While learning: statistics of the batch, gradients for all that is learned.
  net->train();
  Activations seen;
  const at::Tensor learned = net->forward(patches, &seen);
  at::Tensor total = (learned * at::rand_like(learned)).sum();
  if (!network.metric.empty()) total = total + net->compare(learned, learned.roll(1, 0)).select(1, 0).sum();
  total.backward();
  for (const auto& item : net->named_parameters()) {
    ASSERT_TRUE(item.value().grad().defined()) << item.key();
    if (item.key().ends_with("tau")) continue;  // few numbers may lie below a threshold
    EXPECT_GT(item.value().grad().abs().max().item<double>(), 0) << item.key();
  }
  EXPECT_EQ(seen.raw.sizes(), learned.sizes());
  EXPECT_EQ(weights_of(*net).metadata.at("architecture"), network.name);
  std::set<std::string> names;
  for (const auto& [name, array] : weights_of(*net).arrays) names.insert(name);
  for (const NetArray& array : network.arrays()) EXPECT_EQ(names.erase(array.name), 1u) << array.name;
  EXPECT_TRUE(names.empty()) << *names.begin();
}

TEST(Networks, TheirMetricIsTheSameByTorchAndByPlainLoops) {
  const Network& network = find_network("matchnet");
  const Weights weights = random_weights(network, 7);
  Net net(1, std::nullopt, network);
  load_weights(*net, weights);
  torch::manual_seed(5);
  const at::Tensor rows = at::randn({5, network.descriptor_size});
  const torch::NoGradGuard no_grad;
  const at::Tensor s = net->compare(rows, rows.roll(-1, 0));  // (5, 2)
  std::vector<double> distances(5);
  make_learned_metric(weights)->measure({rows.data_ptr<float>(), static_cast<size_t>(rows.numel())},
                                        std::vector<int64_t>{0, 1, 2, 3, 4}, std::vector<int64_t>{1, 2, 3, 4, 0},
                                        distances);
  for (int64_t i = 0; i < 5; ++i) {
    const double expected = (s[i][0] - s[i][1]).item<double>();
    EXPECT_NEAR(distances[static_cast<size_t>(i)], expected, 1e-3 * (1 + std::abs(expected))) << i;
  }
}

TEST(Networks, AreTheSameByTorchAndByPlainLoops) {
  for (const std::string& name : network_names()) expect_one_network(find_network(name));
  expect_one_network(find_network("l2net:0.25"));
}

TEST(Networks, EveryKindOfLayer) { expect_one_network(everything()); }

}  // namespace
}  // namespace adasample
