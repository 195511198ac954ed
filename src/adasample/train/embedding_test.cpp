// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/embedding.h"

#include <gtest/gtest.h>

namespace adasample {
namespace {

// A patch's descriptor is its first pixel; counts what it was given.
class FirstPixel : public Embedding {
 public:
  at::Tensor embed(const NetImpl&, const at::Tensor& patches) override {
    embedded += patches.size(0);
    return patches.select(1, 0).select(1, 0).to(at::kFloat).unsqueeze(1);
  }
  int64_t embedded = 0;
};

// (n, k) patches whose pixels say their slot; empty ones repeat the first of their class, as BatchLoader fills them.
Batch numbered_batch(const std::vector<int64_t>& counts, int64_t k) {
  const auto n = static_cast<int64_t>(counts.size());
  Batch batch{at::empty({n, k, 32, 32}, at::kByte), torch::tensor(counts, at::kLong), at::arange(n)};
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t slot = 0; slot < k; ++slot) {
      batch.patches[i][slot].fill_(10 * i + (slot < counts[static_cast<size_t>(i)] ? slot : 0));
    }
  }
  return batch;
}

TEST(Embedding, EmptySlotsAreNotEmbedded) {
  const Net net(1);
  FirstPixel some;
  const at::Tensor found = embed_occupied(some, *net, numbered_batch({3, 2, 4}, 4));
  EXPECT_EQ(some.embedded, 9);
  EXPECT_TRUE(found.squeeze(2).equal(
      torch::tensor({{0.f, 1.f, 2.f, 0.f}, {10.f, 11.f, 10.f, 10.f}, {20.f, 21.f, 22.f, 23.f}})));
}

TEST(Embedding, FullBatchesAreEmbeddedAsTheyAre) {
  const Net net(1);
  FirstPixel all;
  const at::Tensor found = embed_occupied(all, *net, numbered_batch({2, 2}, 2));
  EXPECT_EQ(all.embedded, 4);
  EXPECT_TRUE(found.squeeze(2).equal(torch::tensor({{0.f, 1.f}, {10.f, 11.f}})));
}

}  // namespace
}  // namespace adasample
