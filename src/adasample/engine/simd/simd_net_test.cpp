// SPDX-License-Identifier: Apache-2.0
#include "adasample/engine/simd_net.h"

#include <gtest/gtest.h>

#include <cmath>

#include "adasample/base/random/rng.h"
#include "adasample/engine/reference_net.h"
#include "adasample/engine/simd/kernels.h"
#include "adasample/model/random_weights.h"

namespace adasample {
namespace {

std::vector<uint8_t> noise(int64_t count) {
  std::vector<uint8_t> patches(static_cast<size_t>(count * l2net().input_size * l2net().input_size));
  RngStream rng(RngKey(1, Draw::kView));
  for (uint8_t& byte : patches) byte = static_cast<uint8_t>(rng.bits());
  return patches;
}

std::vector<float> describe(const SimdNet& net, const std::vector<uint8_t>& patches, int64_t count) {
  const auto workspace = net.make_workspace();
  std::vector<float> rows(static_cast<size_t>(count * l2net().descriptor_size), NAN);
  net.describe(patches.data(), count, rows.data(), *workspace);
  return rows;
}

double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  double largest = 0;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) largest = std::max(largest, std::abs(double{a[i]} - b[i]));
  return largest;
}

TEST(SimdNet, IsTheReferenceByEveryInstructionSet) {
  constexpr int64_t kCount = 3;
  const std::vector<uint8_t> patches = noise(kCount);
  for (const uint64_t seed : {1, 2}) {
    const Weights weights = random_weights(l2net(), seed);
    const std::vector<FoldedLayer> layers = fold_batch_norm(weights, l2net());
    const ReferenceNet reference(weights, weights.network());
    std::vector<float> expected(kCount * 128);
    for (int64_t i = 0; i < kCount; ++i)
      reference.describe(&patches[static_cast<size_t>(i * 1024)], &expected[static_cast<size_t>(i * 128)]);
    for (const simd::Kernels* kernels : simd::all_kernels()) {
      SimdNet fp32(l2net(), Arithmetic::kFp32, kernels), int8(l2net(), Arithmetic::kInt8, kernels);
      EXPECT_EQ(fp32.refold(layers, assumed_calibration(l2net())), "");
      EXPECT_EQ(int8.refold(layers, assumed_calibration(l2net())), "");
      EXPECT_LT(largest_difference(describe(fp32, patches, kCount), expected), 5e-6) << kernels->name;
      EXPECT_LT(largest_difference(describe(int8, patches, kCount), expected), 0.05) << kernels->name;
    }
  }
}

// A patch's descriptor depends on nothing beside it, to the last bit; nor on what the workspace did before.
TEST(SimdNet, NeighboursChangeNothing) {
  constexpr int64_t kMost = 37;  // more than go together, and no multiple of anything
  const std::vector<uint8_t> patches = noise(kMost);
  const std::vector<FoldedLayer> layers = fold_batch_norm(random_weights(l2net(), 3), l2net());
  for (const Arithmetic arithmetic : {Arithmetic::kFp32, Arithmetic::kInt8}) {
    SimdNet net(l2net(), arithmetic);
    net.refold(layers, assumed_calibration(l2net()));
    const auto workspace = net.make_workspace();
    std::vector<float> all(kMost * 128);  // one by one
    for (size_t i = 0; i < kMost; ++i) net.describe(&patches[i * 1024], 1, &all[i * 128], *workspace);
    for (const int64_t count : {int64_t{2}, int64_t{3}, int64_t{5}, int64_t{15}, int64_t{16}, int64_t{17}, kMost}) {
      std::vector<float> some(static_cast<size_t>(count * 128));
      net.describe(patches.data(), count, some.data(), *workspace);
      EXPECT_EQ(some, std::vector<float>(all.begin(), all.begin() + count * 128)) << count;
    }
  }
}

TEST(SimdNet, SaysWhatInt8CannotHold) {
  const Weights weights = random_weights(l2net(), 4);
  std::vector<FoldedLayer> layers = fold_batch_norm(weights, l2net());
  SimdNet net(l2net(), Arithmetic::kInt8);
  layers[2].weight[5] = 1e38f;
  EXPECT_EQ(net.refold(layers, assumed_calibration(l2net())), "features.6.weight");
  layers[2].weight[5] = 0;
  EXPECT_EQ(net.refold(layers, assumed_calibration(l2net())), "");
  layers[0].bias[3] = 3e38f;
  EXPECT_EQ(net.refold(layers, assumed_calibration(l2net())), "features.0.weight");
}

}  // namespace
}  // namespace adasample
