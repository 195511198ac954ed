// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/descriptor_memory.h"

#include <gtest/gtest.h>

#include <vector>

namespace adasample {
namespace {

// A descriptor that says which patch it is of and how often the network has changed since: (member, version).
struct Embedder {
  double version = 1;
  std::vector<int64_t> classes;  // embedded by the last call

  at::Tensor operator()(const Batch& batch) {
    classes.assign(batch.classes.data_ptr<int64_t>(), batch.classes.data_ptr<int64_t>() + batch.classes.numel());
    const at::Tensor members = batch.members.to(at::kFloat);
    return at::stack({members, at::full_like(members, version)}, 2);
  }
};

// Class c has the patches 2c and 2c + 1; those of a third slot repeat the first.
Batch batch_of(const std::vector<int64_t>& classes) {
  const auto n = static_cast<int64_t>(classes.size());
  Batch batch{at::zeros({n, 3, 1, 1}, at::kByte), at::full({n}, 2, at::kLong), at::tensor(classes, at::kLong)};
  const at::Tensor first = batch.classes.unsqueeze(1) * 2;
  batch.members = at::cat({first, first + 1, first}, 1);
  return batch;
}

at::Tensor at_iteration(int64_t t) { return at::full({}, t, at::kLong); }

TEST(DescriptorMemory, EmbedsTheShareRoundedUp) {
  EXPECT_EQ(refreshed_classes(1024, 0.25), 256);
  EXPECT_EQ(refreshed_classes(10, 0.25), 3);
  EXPECT_EQ(refreshed_classes(10, 1e-9), 1);
  EXPECT_EQ(refreshed_classes(10, 1), 10);
}

TEST(DescriptorMemory, ClassesEmbeddedLongestAgoComeFirst) {
  DescriptorMemory memory(12, 2, 2, at::kCPU);
  Embedder embed;
  const auto recall = [&](const std::vector<int64_t>& classes, int64_t t) {
    return memory.recall(batch_of(classes), at_iteration(t), [&](const Batch& part) { return embed(part); });
  };
  recall({0, 1, 2}, 0);
  EXPECT_EQ(embed.classes, (std::vector<int64_t>{0, 1}));  // none was there before: the first two
  recall({1, 0, 2}, 1);
  EXPECT_EQ(embed.classes, (std::vector<int64_t>{2, 1}));  // never, then iteration 0, the first of two
  embed.version = 2;
  recall({2, 0, 1}, 2);
  EXPECT_EQ(embed.classes, (std::vector<int64_t>{0, 2}));
  const at::Tensor all = recall({0, 1, 2}, 3);  // 1 and 2: what is as old as 2 comes after it
  EXPECT_EQ(embed.classes, (std::vector<int64_t>{1, 0}));
  EXPECT_EQ(all[2][0][1].item<float>(), 2);
}

TEST(DescriptorMemory, RowsAreThoseOfTheirPatchesWhenLastEmbedded) {
  DescriptorMemory memory(12, 2, 1, at::kCPU);
  Embedder embed;
  const auto recall = [&](int64_t t) {
    return memory.recall(batch_of({5, 3}), at_iteration(t), [&](const Batch& part) { return embed(part); });
  };
  const at::Tensor first = recall(0);
  EXPECT_TRUE(first[0].equal(at::tensor({10.0f, 1.0f, 11.0f, 1.0f, 10.0f, 1.0f}).view({3, 2})));
  EXPECT_TRUE(first[1].equal(at::zeros({3, 2})));  // never embedded: all alike
  embed.version = 7;
  const at::Tensor second = recall(1);
  EXPECT_TRUE(second[0].equal(first[0]));
  EXPECT_TRUE(second[1].equal(at::tensor({6.0f, 7.0f, 7.0f, 7.0f, 6.0f, 7.0f}).view({3, 2})));
  EXPECT_EQ(memory.embedded()[11].item<int64_t>(), 0);
  EXPECT_EQ(memory.embedded()[7].item<int64_t>(), 1);
  EXPECT_EQ(memory.embedded()[0].item<int64_t>(), -1);
}

// One patch that was never embedded makes its class's distances meaningless.
TEST(DescriptorMemory, AClassKnownInPartCountsAsUnknown) {
  DescriptorMemory memory(12, 2, 1, at::kCPU);
  Embedder embed;
  const auto with = [&](const Batch& part) { return embed(part); };
  memory.recall(batch_of({0}), at_iteration(0), with);
  Batch mixed = batch_of({4, 0});
  mixed.members[1][1] = 11;  // a patch of class 0 that no batch has held
  EXPECT_TRUE(memory.recall(mixed, at_iteration(1), with)[1].equal(at::zeros({3, 2})));
}

}  // namespace
}  // namespace adasample
