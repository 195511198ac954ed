// SPDX-License-Identifier: Apache-2.0
#include "adasample/sampler/descriptor_memory.h"

#include <gtest/gtest.h>

#include <vector>

namespace adasample {
namespace {

// Class c has the patches 2c and 2c + 1; those of a third slot repeat the first.
at::Tensor members_of(const std::vector<int64_t>& classes) {
  const at::Tensor first = at::tensor(classes, at::kLong).unsqueeze(1) * 2;
  return at::cat({first, first + 1, first}, 1);
}

// A descriptor that says which patch it is of and how often the network has changed since: (member, version).
struct Embedder {
  double version = 1;
  std::vector<int64_t> classes = {};  // embedded by the last call

  at::Tensor recall(DescriptorMemory& memory, const at::Tensor& members, int64_t t) {
    return memory.recall(members, at::full({}, t, at::kLong), [&](const at::Tensor& due) {
      const at::Tensor x = members.index_select(0, due);
      const at::Tensor names = (x.select(1, 0) / 2).to(at::kLong).contiguous();
      classes.assign(names.data_ptr<int64_t>(), names.data_ptr<int64_t>() + names.numel());
      return at::stack({x.to(at::kFloat), at::full_like(x, version, at::kFloat)}, 2);
    });
  }
};

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
    return embed.recall(memory, members_of(classes), t);
  };
  recall({0, 1, 2}, 0);
  EXPECT_EQ(embed.classes, (std::vector<int64_t>{0, 1}));  // none was there before: the first two
  recall({1, 0, 2}, 1);
  EXPECT_EQ(embed.classes, (std::vector<int64_t>{2, 1}));  // never, then iteration 0, the first of two
  embed.version = 2;
  recall({2, 0, 1}, 2);
  EXPECT_EQ(embed.classes, (std::vector<int64_t>{0, 2}));
  const at::Tensor all = recall({0, 1, 2}, 3);
  EXPECT_EQ(embed.classes, (std::vector<int64_t>{1, 0}));
  EXPECT_EQ(all[2][0][1].item<float>(), 2);
}

TEST(DescriptorMemory, RowsAreThoseOfTheirPatchesWhenLastEmbedded) {
  DescriptorMemory memory(12, 2, 1, at::kCPU);
  Embedder embed;
  const auto recall = [&](int64_t t) { return embed.recall(memory, members_of({5, 3}), t); };
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
  embed.recall(memory, members_of({0}), 0);
  const at::Tensor mixed = members_of({4, 0});
  mixed[1][1] = 11;  // a patch that no batch has held
  EXPECT_TRUE(embed.recall(memory, mixed, 1)[1].equal(at::zeros({3, 2})));
}

}  // namespace
}  // namespace adasample
