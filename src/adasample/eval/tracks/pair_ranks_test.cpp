// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/tracks/pair_ranks.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "adasample/base/random/rng.h"

namespace adasample {
namespace {

TEST(PairRanks, PlacesAreThoseOfABinarySearch) {
  RngStream rng(RngKey(1, Draw::kPairs));
  for (const int64_t levels : {1, 7, 1000000}) {  // few: many ties
    for (const float unit : {1e-30f, 0.001f, 1e30f}) {
      std::vector<float> positives;
      for (int i = 0; i < 500; ++i) positives.push_back(unit * static_cast<float>(rng.index(levels)));
      const PairRanks ranks(positives);
      std::sort(positives.begin(), positives.end());
      for (int i = 0; i < 500; ++i) {
        const float value = unit * static_cast<float>(rng.index(levels + 3));
        const auto expected = std::lower_bound(positives.begin(), positives.end(), value) - positives.begin();
        EXPECT_EQ(ranks.place(value), static_cast<size_t>(expected));
      }
      for (const float value : positives) EXPECT_LT(ranks.place(value), positives.size());
    }
  }
}

TEST(PairRanks, FiguresByHand) {
  const PairRanks ranks({3, 1, 2, 1});
  EXPECT_EQ(ranks.positives(), 4);
  EXPECT_EQ(ranks.places(), 5u);
  EXPECT_EQ(ranks.distance_at(0.95), 3);
  EXPECT_EQ(ranks.distance_at(0.5), 1);
  // Negatives at 0.5, 1, 2.5 and 4.
  std::vector<int64_t> counts(ranks.places());
  for (const float distance : {0.5f, 1.0f, 2.5f, 4.0f}) ++counts[ranks.place(distance)];
  EXPECT_EQ(counts, (std::vector<int64_t>{2, 0, 0, 1, 1}));
  const PairRanks::Figures figures = ranks.figures(counts);
  EXPECT_EQ(figures.negatives, 4);
  EXPECT_DOUBLE_EQ(figures.fpr95, 0.75);
  const double steps = (0 + 1.0 / 3) + (1.0 / 3 + 2.0 / 4) + (2.0 / 4 + 3.0 / 5) + (3.0 / 6 + 4.0 / 7);
  EXPECT_NEAR(figures.average_precision, steps / 2 / 4, 1e-9);
  EXPECT_EQ(ranks.figures(std::vector<int64_t>(5)).fpr95, 0);
}

}  // namespace
}  // namespace adasample
