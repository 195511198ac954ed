// SPDX-License-Identifier: Apache-2.0
#include "adasample/experiment/validation.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "adasample/eval/scores/pair_evaluation.h"
#include "tests/support/small_store.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

class SixteenPixels : public Descriptor {
 public:
  std::string name() const override { return "sixteen pixels"; }
  int dimension() const override { return 16; }
  void describe(std::span<const uint8_t> patches, int64_t count, int size, std::span<float> out) override {
    const int64_t area = int64_t{size} * size;
    for (int64_t i = 0; i < count * dimension(); ++i) {
      out[static_cast<size_t>(i)] = patches[static_cast<size_t>(i / dimension() * area + i % dimension() * 60)];
    }
  }
};

TEST(Validation, ScoresAllCrossPairsAndDrawsTheCurvesOfAsManyNegativesAsPositives) {
  const testing::TempFolder folder;
  const PatchStore store = testing::small_store(folder / "s", 30, 3);
  SixteenPixels descriptor;
  const Validation validation(store);
  const FprAtRecall expected = dense_fpr(draw_positives(store, 5000, 1), source_of(store), descriptor);
  EXPECT_EQ(expected.positives, 90);
  EXPECT_EQ(expected.negatives, 90 * 87);
  EXPECT_EQ(validation.score(descriptor), expected.value);
  EXPECT_EQ(Validation(store).score(descriptor), expected.value) << "the pairs are the store's";
  const HeldoutPairs pairs(store, {.pairs = 5000, .seed = 1});
  EXPECT_EQ(validation.curves(descriptor), pairs.score(descriptor, "validation").curves);
}

}  // namespace
}  // namespace adasample
