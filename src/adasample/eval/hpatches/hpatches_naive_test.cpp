// SPDX-License-Identifier: Apache-2.0
// The tasks on made-up sets, against code that follows the definitions word for word: every list is written out, sorted
// and walked through. Coarse descriptors make ties by the hundred.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "adasample/eval/hpatches/hpatches_matching.h"
#include "adasample/eval/hpatches/hpatches_retrieval.h"
#include "adasample/eval/hpatches/hpatches_verification.h"
#include "adasample/eval/hpatches/lists/hpatches_generator.h"
#include "adasample/eval/scores/average_precision.h"
#include "tests/support/described_set.h"

namespace adasample {
namespace {

using testing::naive_distance;

constexpr double kNaiveTolerance = 1e-12;  // both sides sum a few hundred doubles

struct NaiveCase {
  uint64_t seed;
  int dimension;
  double grid;  // 1: whole numbers, most distances tie
  Norm norm;
};

class HpatchesNaive : public ::testing::TestWithParam<NaiveCase> {
 protected:
  HpatchesNaive()
      : norm_(GetParam().norm),
        set_(testing::made_up_set(GetParam().seed, {{"i_a", 150}, {"v_b", 61}, {"v_c", 170}}, GetParam().dimension,
                                  GetParam().grid)) {}

  // A list as it is ranked: labels and scores in the order of the input.
  struct List {
    std::vector<uint8_t> labels;
    std::vector<double> scores;
    void add(bool label, double distance) {
      labels.push_back(label ? 1 : 0);
      scores.push_back(-distance);
    }
    RankedCurve curve() const { return ranked_curve(labels, scores); }
  };

  double pair(const PlacePair& pair, size_t level) const {
    return pair_distance(norm_, set_.sequences[pair.first.sequence].row(level, pair.first.image, pair.first.patch),
                         set_.sequences[pair.second.sequence].row(level, pair.second.image, pair.second.patch));
  }

  // The rows of one sequence, or (-1) all of them.
  void expect_verification(const VerificationLists& lists, size_t level, bool inter, int sequence,
                           const TaskScore& found) {
    const size_t rows = lists.positives.size();
    const auto wanted = [&](const PlacePair& p) { return sequence < 0 || p.first.sequence == sequence; };
    List balanced, imbalanced;
    for (const PlacePair& p : inter ? lists.inter : lists.intra) {
      if (!wanted(p)) continue;
      balanced.add(false, pair(p, level));
      imbalanced.add(false, pair(p, level));
    }
    for (size_t i = 0; i < rows; ++i) {
      if (!wanted(lists.positives[i])) continue;
      balanced.add(true, pair(lists.positives[i], level));
      if (i < rows / 5) imbalanced.add(true, pair(lists.positives[i], level));
    }
    EXPECT_NEAR(found.extra, roc_auc(balanced.curve()), kNaiveTolerance);
    EXPECT_NEAR(found.trapezoid, average_precision_trapezoid(imbalanced.curve()), kNaiveTolerance);
    EXPECT_NEAR(found.step, average_precision_step(imbalanced.curve()), kNaiveTolerance);
  }

  Norm norm_;
  DescriptorSet set_;
};

TEST_P(HpatchesNaive, Verification) {
  const VerificationLists lists = draw_verification(set_.shapes(), {.rows = 1000});
  const VerificationResult found = evaluate_verification(set_, lists, norm_);
  for (size_t level = 0; level < 3; ++level) {
    for (size_t kind = 0; kind < 2; ++kind) {
      const bool inter = std::string(kVerificationKinds[kind]) == "inter";
      expect_verification(lists, level, inter, -1, found.scores[level][kind]);
      for (int s = 0; s < 3; ++s) {
        expect_verification(lists, level, inter, s, found.sequences[static_cast<size_t>(s)][level][kind]);
      }
    }
  }
}

TEST_P(HpatchesNaive, Matching) {
  const MatchingResult found = evaluate_matching(set_, norm_);
  std::vector<TaskScore> all;
  for (size_t s = 0; s < 3; ++s) {
    const DescribedSequence& sequence = set_.sequences[s];
    for (int image = 1; image < 6; ++image) {
      List list;
      for (int64_t i = 0; i < sequence.shape.patches; ++i) {
        int64_t nearest = 0;
        double least = INFINITY;
        for (int64_t j = 0; j < sequence.shape.patches; ++j) {
          const double distance = naive_distance(norm_, sequence.row(2, 0, i), sequence.row(2, image, j));
          if (distance < least) {
            least = distance;
            nearest = j;
          }
        }
        list.add(nearest == i, least);
      }
      const RankedCurve curve = ranked_curve(list.labels, list.scores, sequence.shape.patches);
      const TaskScore& score = found.images[s][2][static_cast<size_t>(image - 1)];
      EXPECT_NEAR(score.trapezoid, average_precision_trapezoid(curve), kNaiveTolerance);
      EXPECT_NEAR(score.step, average_precision_step(curve), kNaiveTolerance);
      EXPECT_NEAR(score.extra, curve.recall.back(), kNaiveTolerance);
      all.push_back(score);
    }
  }
  EXPECT_NEAR(found.levels[2].step, mean_of(all).step, kNaiveTolerance);
  EXPECT_NEAR(found.mean.step, (found.levels[0].step + found.levels[1].step + found.levels[2].step) / 3,
              kNaiveTolerance);
}

TEST_P(HpatchesNaive, Retrieval) {
  const RetrievalLists lists = draw_retrieval(set_.shapes());  // 127 queries, 254 distractors: pools of 100 and all
  const RetrievalResult found = evaluate_retrieval(set_, lists, norm_);
  ASSERT_EQ(found.queries.size(), lists.queries.size());
  std::vector<TaskScore> largest;
  for (size_t q = 0; q < lists.queries.size(); ++q) {
    const PatchPlace& query = lists.queries[q];
    const DescribedSequence& sequence = set_.sequences[query.sequence];
    const auto row = sequence.row(1, 0, query.patch);
    List pool;
    for (int image = 1; image < 6; ++image)
      pool.add(true, naive_distance(norm_, row, sequence.row(1, image, query.patch)));
    for (const PatchPlace& place : lists.distractors) {
      if (place.sequence == query.sequence) continue;
      pool.add(false, naive_distance(norm_, row, set_.sequences[place.sequence].row(1, 0, place.patch)));
    }
    for (size_t k = 0; k < kPoolSizes.size(); ++k) {
      List part = pool;
      const auto size = std::min(pool.labels.size(), static_cast<size_t>(kPoolSizes[k]));
      part.labels.resize(size);
      part.scores.resize(size);
      EXPECT_NEAR(found.queries[q][1][k].trapezoid, average_precision_trapezoid(part.curve()), kNaiveTolerance);
      EXPECT_NEAR(found.queries[q][1][k].step, average_precision_step(part.curve()), kNaiveTolerance);
    }
    if (query.sequence == 2) largest.push_back(found.queries[q][1].back());
  }
  EXPECT_NEAR(found.sequences[2][1].back().step, mean_of(largest).step, kNaiveTolerance);
}

INSTANTIATE_TEST_SUITE_P(Sets, HpatchesNaive,
                         ::testing::Values(NaiveCase{1, 8, 1000, Norm::kL2}, NaiveCase{2, 8, 1000, Norm::kL1},
                                           NaiveCase{3, 5, 1, Norm::kL2}, NaiveCase{4, 3, 1, Norm::kL1},
                                           NaiveCase{5, 33, 1e5, Norm::kL2}));

// What the protocols do with descriptors that are all alike: ties count against in verification (and the first of a
// strip is everybody's neighbour in matching), but in favour in retrieval.
TEST(HpatchesTies, AllAlike) {
  DescriptorSet set = testing::made_up_set(1, {{"i_a", 100}, {"v_b", 100}}, 4, 1);
  for (DescribedSequence& sequence : set.sequences) std::fill(sequence.values.begin(), sequence.values.end(), 1.0f);
  const VerificationLists lists = draw_verification(set.shapes(), {.rows = 1000});
  const TaskScore verification = mean_of(evaluate_verification(set, lists, Norm::kL2).scores);
  EXPECT_NEAR(verification.extra, 0, kNaiveTolerance);
  EXPECT_LT(verification.step, 0.12);  // 200 positives behind 1000 negatives
  EXPECT_NEAR(evaluate_matching(set, Norm::kL2).mean.extra, 0.01, kNaiveTolerance);
  EXPECT_NEAR(evaluate_retrieval(set, draw_retrieval(set.shapes()), Norm::kL2).mean.trapezoid, 1, kNaiveTolerance);
}

}  // namespace
}  // namespace adasample
