// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/pair_scores.h"

#include <gtest/gtest.h>

#include <vector>

namespace adasample {
namespace {

// Positives at 1, 2 .. 100: the 95th is the mark of FPR95, the 99th that of FPR99. Of four negatives one lies before
// the first mark and two more before the second.
TEST(PairScores, RatesAtTwoRecallsAreNamedApart) {
  std::vector<uint8_t> labels(100, 1);
  std::vector<double> distances;
  for (int i = 1; i <= 100; ++i) distances.push_back(i);
  for (const double negative : {94.5, 95.5, 98.5, 99.5}) {
    labels.push_back(0);
    distances.push_back(negative);
  }
  const PairScores scores = score_pairs(labels, distances);
  EXPECT_EQ(scores.fpr95.value, 0.25);
  EXPECT_EQ(scores.fpr99.value, 0.75);
  EXPECT_EQ(scores.positives, 100);
  EXPECT_EQ(scores.negatives, 4);
}

}  // namespace
}  // namespace adasample
