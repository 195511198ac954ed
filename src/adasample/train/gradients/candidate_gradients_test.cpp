// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/gradients/candidate_gradients.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>

#include "adasample/loss/distance.h"
#include "adasample/net/net.h"
#include "tests/support/small_store.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

Weights weights_of_seed(uint64_t seed) {
  NetImpl net(seed);
  {  // statistics as after some training, so that batch norm matters
    const torch::NoGradGuard no_grad;
    for (at::Tensor& buffer : net.buffers()) {
      if (buffer.dim() == 1) buffer.mul_(0.25).add_(1e-3);
    }
  }
  return weights_of(net);
}

// The loss of a pair by its own formula, at weights moved along a direction; the norm of a gradient is the slope of the
// loss along it.
TEST(CandidateGradients, NormIsTheSteepestSlope) {
  const testing::TempFolder folder;
  const PatchStore store = testing::small_store(folder / "store", 6, 4);
  const Weights weights = weights_of_seed(3);
  for (const char* loss : {"aht", "ht"}) {
    CandidateGradientOptions options{.classes = 4, .k = 3, .seed = 5};
    options.loss.name = loss;
    const Metric metric = options.loss.name == "aht" ? Metric::kAngular : Metric::kEuclidean;
    const auto classes = candidate_gradients(weights, store, options);
    ASSERT_EQ(classes.size(), 4u);
    const ClassGradients& first = classes.front();
    ASSERT_EQ(first.distances.size(), 2u);
    ASSERT_GT(first.active, 0);

    // The pair is found by its distance among all pairs of the class.
    NetImpl net(0, 0);
    load_weights(net, weights);
    net.eval();
    net.to(at::kDouble);
    const int64_t begin = store.class_begin(first.class_id), size = store.class_size(first.class_id);
    const auto patch = [&](int64_t i) {
      const auto bytes = store.patch(begin + i);
      return at::tensor(std::vector<uint8_t>(bytes.begin(), bytes.end()), at::kByte)
          .view({store.patch_size(), store.patch_size()})
          .to(at::kDouble);
    };
    int found = 0;
    for (int64_t a = 0; a < size && found == 0; ++a) {
      for (int64_t p = 0; p < size && found == 0; ++p) {
        if (a == p) continue;
        const at::Tensor both = at::stack({patch(a), patch(p)});
        const auto value = [&] {
          const at::Tensor x = net.forward(both);
          return squared_distance(x.narrow(0, 0, 1), x.narrow(0, 1, 1), metric).sum();
        };
        const at::Tensor l = value();
        if (std::abs(std::sqrt(l.item<double>()) - first.distances[0]) > 1e-9 || first.norms[0] == 0) continue;
        const auto gradients = torch::autograd::grad({l}, net.parameters());
        const auto moved = [&](double by) {  // along the gradient's unit vector
          const torch::NoGradGuard no_grad;
          auto parameters = net.parameters();
          for (size_t i = 0; i < parameters.size(); ++i) parameters[i].add_(gradients[i], by / first.norms[0]);
          const double result = value().item<double>();
          for (size_t i = 0; i < parameters.size(); ++i) parameters[i].sub_(gradients[i], by / first.norms[0]);
          return result;
        };
        constexpr double kStep = 1e-7;  // so short that hardly a unit passes its bend at 0; rounding over it is 1e-9
        EXPECT_NEAR((moved(kStep) - moved(-kStep)) / (2 * kStep) / first.norms[0], 1, 1e-5) << loss;
        ++found;
      }
    }
    EXPECT_GE(found, 1) << loss;
  }
}

TEST(CandidateGradients, NoGradientWhereTheHingeIsNotActive) {
  const testing::TempFolder folder;
  const PatchStore store = testing::small_store(folder / "store", 6, 4);
  CandidateGradientOptions options{.classes = 4, .k = 3};
  options.loss.margin = -100;
  for (const ClassGradients& one : candidate_gradients(weights_of_seed(1), store, options)) {
    EXPECT_EQ(one.active, 0);
    EXPECT_EQ(one.norms, std::vector<double>(one.distances.size(), 0));
  }
}

}  // namespace
}  // namespace adasample
