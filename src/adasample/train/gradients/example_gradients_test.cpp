// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/gradients/example_gradients.h"

#include <gtest/gtest.h>

#include <cmath>

#include "adasample/base/metric_sink.h"
#include "adasample/sampler/pair_draw.h"
#include "adasample/train/trainer.h"
#include "tests/support/small_store.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

// The same by the module's own backward pass, which sums into .grad.
TEST(ExampleGradients, AreTheNormsOfEachPairsGradient) {
  torch::manual_seed(3);
  const int64_t n = 3, k = 3;
  Net net(5, 0.0, find_network("l2net:0.25"));
  const at::Tensor patches = at::randint(0, 256, {n, k, 32, 32}, at::kByte);
  SamplerInput input{k,
                     net->describe(patches.flatten(0, 1)).view({n, k, -1}),
                     torch::tensor({3, 2, 3}, at::kLong),
                     torch::tensor({4, 8, 9}, at::kLong),
                     torch::tensor(0, at::kLong),
                     {}};
  const at::Tensor anchor = torch::tensor({1, 0, 2}, at::kLong);
  const at::Tensor norms = example_gradients(*net, patches, input, anchor, 1, Metric::kEuclidean);  // (n, k)
  net->eval();
  int active = 0;
  for (int64_t c = 0; c < n; ++c) {
    const int64_t own = anchor[c].item<int64_t>();
    at::Tensor closest;
    double largest = -2;
    for (int64_t other = 0; other < n; ++other) {
      const at::Tensor y = input.descriptors[other][anchor[other].item<int64_t>()];
      const double similarity = y.dot(input.descriptors[c][own]).item<double>();
      if (other == c || similarity <= largest) continue;
      largest = similarity;
      closest = y;
    }
    for (int64_t slot = 0; slot < k; ++slot) {
      const double found = norms[c][slot].item<double>();
      if (slot == own || slot >= input.counts[c].item<int64_t>()) {
        EXPECT_EQ(found, 0);
        continue;
      }
      net->zero_grad();
      const at::Tensor y = net->forward(at::stack({patches[c][own], patches[c][slot]}));
      const at::Tensor loss = 1 + (y[0] - y[1]).square().sum() - (y[0] - closest).square().sum();
      double squares = 0;
      if (loss.item<double>() > 0) {
        ++active;
        loss.backward();
        for (const at::Tensor& p : net->parameters()) squares += p.grad().to(at::kDouble).square().sum().item<double>();
      }
      EXPECT_NEAR(found, std::sqrt(squares), 1e-4 * std::sqrt(squares)) << c << " " << slot;
    }
  }
  EXPECT_GT(active, 2);
}

TEST(ExampleGradients, TheOracleDrawsByThemInARun) {
  testing::TempFolder folder;
  const PatchStore store = testing::small_store(folder / "s", 12, 4);
  TrainOptions options = make_preset("oracle", "cpu");
  options.network = "l2net:0.25";
  options.batch = 4;
  options.k = 3;
  options.iterations = 2;
  options.warmup_quantile_share = options.warmup_exponent_share = 0;
  MemorySink sink;
  EXPECT_EQ(Trainer(options, {&store}).run(sink).end, TrainResult::End::kComplete);
  for (const MetricRecord& record : sink.records) {
    for (const auto& [name, value] : record.values) {
      if (name == "exponent") {
        EXPECT_EQ(value, 1);
      }
      if (name == "entropy") {
        EXPECT_TRUE(value > 0 && value < 1) << value;
      }
    }
  }
}

}  // namespace
}  // namespace adasample
