// SPDX-License-Identifier: Apache-2.0
#include "adasample/experiment/heldout_pairs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/support/small_store.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

// Every hundredth pixel, or the same for all.
class FewPixels : public Descriptor {
 public:
  explicit FewPixels(bool blind) : blind_(blind) {}
  std::string name() const override { return "few pixels"; }
  int dimension() const override { return 10; }
  void describe(std::span<const uint8_t> patches, int64_t count, int size, std::span<float> out) override {
    const int64_t area = int64_t{size} * size;
    for (int64_t i = 0; i < count * dimension(); ++i) {
      const int64_t patch = i / dimension(), pixel = i % dimension() * 100;
      out[static_cast<size_t>(i)] = blind_ ? 1.0f : patches[static_cast<size_t>(patch * area + pixel)];
    }
  }

 private:
  bool blind_;
};

TEST(HeldoutPairs, ScoreWhatAnEvaluationOfTheStoreScores) {
  const testing::TempFolder folder;
  const PatchStore store = testing::small_store(folder / "s", 20, 3);
  const PairOptions options{.pairs = 300, .seed = 4};
  const HeldoutPairs pairs(store, options);
  FewPixels seeing(false), blind(true);
  const HeldoutPairs::Scored scored = pairs.score(seeing, "a name");
  EXPECT_EQ(scored.scores.fpr95.value, evaluate_patches(store, seeing, options).fpr95.value);
  EXPECT_EQ(scored.scores.positives, 300);
  EXPECT_LT(scored.scores.fpr95.value, pairs.score(blind, "blind").scores.fpr95.value);
  EXPECT_EQ(pairs.score(seeing, "a name").curves, scored.curves) << "the pairs stay";
  const auto curves = nlohmann::json::parse(scored.curves);
  EXPECT_EQ(curves["name"], "a name");
  EXPECT_EQ(curves["fpr95"].get<double>(), scored.scores.fpr95.value);
}

}  // namespace
}  // namespace adasample
