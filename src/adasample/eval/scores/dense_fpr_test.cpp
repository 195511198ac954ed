// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/scores/dense_fpr.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "adasample/base/parallel.h"
#include "adasample/base/random/rng.h"
#include "adasample/eval/scores/pair_evaluation.h"
#include "tests/support/expect_error.h"
#include "tests/support/small_store.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

using testing::expect_error;

// Whole coordinates below `kinds`: squares of distances are whole, so that many tie.
std::vector<float> whole_rows(int64_t count, int64_t kinds, uint64_t seed) {
  RngStream rng(RngKey(seed, Draw::kPairs));
  std::vector<float> rows(static_cast<size_t>(count));
  for (float& value : rows) value = static_cast<float>(rng.index(kinds));
  return rows;
}

// All pairs listed, negatives first.
FprAtRecall listed(const std::vector<float>& a, const std::vector<float>& b, size_t dimension,
                   const std::vector<int64_t>& classes, double recall) {
  std::vector<uint8_t> labels;
  std::vector<double> distances;
  for (const bool same : {false, true}) {
    for (size_t i = 0; i < classes.size(); ++i) {
      for (size_t j = 0; j < classes.size(); ++j) {
        if (same ? i != j : classes[i] == classes[j]) continue;
        double sum = 0;
        for (size_t d = 0; d < dimension; ++d) sum += std::pow(a[i * dimension + d] - b[j * dimension + d], 2);
        labels.push_back(same ? 1 : 0);
        distances.push_back(std::sqrt(sum));
      }
    }
  }
  return fpr_at_recall(labels, distances, recall);
}

TEST(DenseFpr, IsTheFprOfAllPairsListed) {
  for (const int64_t pairs : {3, 40, 77}) {
    for (const int64_t kinds : {2, 4, 50}) {
      for (const double recall : {0.5, 0.95, 1.0}) {
        constexpr int kDimension = 5;
        const std::vector<float> a = whole_rows(pairs * kDimension, kinds, 1),
                                 b = whole_rows(pairs * kDimension, kinds, 2);
        std::vector<int64_t> classes;  // two pairs have each, but the last
        for (int64_t i = 0; i < pairs; ++i) classes.push_back(i / 2);
        const FprAtRecall expected = listed(a, b, kDimension, classes, recall),
                          found = dense_fpr(a, b, kDimension, classes, recall);
        EXPECT_EQ(found.value, expected.value);
        EXPECT_EQ(found.low, expected.low);
        EXPECT_EQ(found.high, expected.high);
        EXPECT_EQ(found.positives, pairs);
        EXPECT_EQ(found.negatives, expected.negatives);
        if (pairs > 3 && kinds == 2) {
          EXPECT_LT(found.low, found.high) << "ties";
        }
      }
    }
  }
}

// On a line: a_i = i, b_i = i + 1/2, so that positives are 1/2 apart. Of the negatives a_i, b_(i - 1) are 1/2 apart
// too, all others more. Then one b moves by a hair to its neighbour, and the score by one step, a negative of four
// million.
TEST(DenseFpr, MovesInStepsOfOneNegative) {
  constexpr int64_t kPairs = 2001;
  std::vector<float> a, b;
  std::vector<int64_t> classes;
  for (int64_t i = 0; i < kPairs; ++i) {
    a.push_back(static_cast<float>(i));
    b.push_back(static_cast<float>(i) + 0.5f);
    classes.push_back(i);
  }
  constexpr double kNegatives = 2001.0 * 2000;
  const FprAtRecall found = dense_fpr(a, b, 1, classes);
  EXPECT_EQ(found.negatives, 4'002'000);
  EXPECT_EQ(found.low, 0);
  EXPECT_EQ(found.high, 2000 / kNegatives);
  EXPECT_EQ(found.value, found.high);
  b[7] += 0.25f;  // that positive is farther, within the 5 % that may be; the negative a_8, b_7 nearer
  EXPECT_EQ(dense_fpr(a, b, 1, classes).low, 1 / kNegatives);
  const int before = thread_count();
  set_thread_count(3);
  EXPECT_EQ(dense_fpr(a, b, 1, classes).low, 1 / kNegatives);
  set_thread_count(before);
}

// The mean of a patch and its first pixel.
class TwoNumbers : public Descriptor {
 public:
  std::string name() const override { return "two numbers"; }
  int dimension() const override { return 2; }
  void describe(std::span<const uint8_t> patches, int64_t count, int size, std::span<float> out) override {
    const auto area = static_cast<size_t>(size * size);
    described += count;
    for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
      const auto patch = patches.subspan(i * area, area);
      out[2 * i] = std::accumulate(patch.begin(), patch.end(), 0.0f) / static_cast<float>(area);
      out[2 * i + 1] = patch[0];
    }
  }
  int64_t described = 0;
};

TEST(DenseFpr, DescribesEachPatchOnce) {
  const testing::TempFolder folder;
  const PatchStore store = testing::small_store(folder / "s", 12, 4, 8);
  const PositivePairs pairs = draw_positives(store, 5000, 3);
  TwoNumbers descriptor;
  const FprAtRecall found = dense_fpr(pairs, source_of(store), descriptor);
  EXPECT_EQ(descriptor.described, 12 * 4);
  const auto rows_of = [&](const std::vector<int64_t>& patches) {
    std::vector<float> rows(patches.size() * 2);
    for (size_t i = 0; i < patches.size(); ++i) {
      descriptor.describe(store.patches().patch(patches[i]), 1, 8, std::span(rows).subspan(2 * i, 2));
    }
    return rows;
  };
  const FprAtRecall expected = dense_fpr(rows_of(pairs.first), rows_of(pairs.second), 2, pairs.classes);
  EXPECT_EQ(found.value, expected.value);
  EXPECT_EQ(found.negatives, 72 * 66);
  EXPECT_GT(found.value, 0);
  EXPECT_LT(found.value, 1);
}

// A metric of its own: what the first numbers differ by, from the first patch of a pair to its second.
class WithMetric : public TwoNumbers, public PairMetric {
 public:
  const PairMetric* metric() const override { return this; }
  void measure(std::span<const float> rows, std::span<const int64_t> first, std::span<const int64_t> second,
               std::span<double> distances) const override {
    for (size_t i = 0; i < distances.size(); ++i)
      distances[i] = rows[static_cast<size_t>(2 * first[i])] - rows[static_cast<size_t>(2 * second[i])];
  }
};

TEST(DenseFpr, ALearnedMetricTakesEightNegativesOfEachPositive) {
  const testing::TempFolder folder;
  const PatchStore store = testing::small_store(folder / "s", 12, 4, 8);
  const PositivePairs pairs = draw_positives(store, 20, 3);  // the last 8 are of classes that have given one before
  WithMetric descriptor;
  const FprAtRecall found = dense_fpr(pairs, source_of(store), descriptor);
  const auto mean = [&](int64_t patch) {
    std::vector<float> row(2);
    descriptor.describe(store.patches().patch(patch), 1, 8, row);
    return double{row[0]};
  };
  std::vector<uint8_t> labels;
  std::vector<double> distances;
  for (size_t s = 0; s <= 8; ++s) {
    for (size_t i = 0; i < 20; ++i) {
      const size_t j = (i + s) % 20;
      if (s > 0 && pairs.classes[i] == pairs.classes[j]) continue;
      labels.push_back(s == 0 ? 1 : 0);
      distances.push_back(mean(pairs.first[i]) - mean(pairs.second[j]));
    }
  }
  const FprAtRecall expected = fpr_at_recall(labels, distances);
  EXPECT_EQ(found.value, expected.high);
  EXPECT_EQ(found.positives, 20);
  EXPECT_EQ(found.negatives, expected.negatives);
  EXPECT_LT(found.negatives, 160) << "some would be of one class";
}

TEST(DenseFpr, BadInput) {
  const std::vector<float> one = {1}, two = {1, 2}, bad = {1, NAN}, none;
  const std::vector<int64_t> same = {4, 4}, different = {4, 5}, no_class;
  expect_error([&] { dense_fpr(two, two, 1, same); }, "[eval] 2 pairs", "one class");
  expect_error([&] { dense_fpr(two, bad, 1, different); }, "pair 1 is not a number");
  expect_error([&] { dense_fpr(none, none, 1, no_class); }, "no positive");
  expect_error([&] { dense_fpr(two, two, 1, different, 0); }, "recall = 0");
}

TEST(DrawPositives, OneOfEveryClassBeforeASecond) {
  const testing::TempFolder folder;
  const PatchStore store = testing::small_store(folder / "s", 12, 4, 8);
  const PositivePairs all = draw_positives(store, 5000, 3);
  EXPECT_EQ(all.first.size(), 12u * 6);
  std::set<std::pair<int64_t, int64_t>> seen;
  std::map<int64_t, int> of_class;
  for (size_t i = 0; i < all.first.size(); ++i) {
    const auto [low, high] = std::minmax(all.first[i], all.second[i]);
    EXPECT_LT(low, high);
    EXPECT_TRUE(seen.insert({low, high}).second) << "twice";
    const int64_t c = all.classes[i];
    EXPECT_TRUE(low >= store.class_begin(c) && high < store.class_begin(c) + store.class_size(c));
    EXPECT_EQ(of_class[c]++, static_cast<int>(i / 12));
  }
  const PositivePairs some = draw_positives(store, 5, 3);
  EXPECT_EQ(some.first, std::vector<int64_t>(all.first.begin(), all.first.begin() + 5));
  EXPECT_EQ(std::set<int64_t>(some.classes.begin(), some.classes.end()).size(), 5u);
  EXPECT_NE(draw_positives(store, 5, 4).first, some.first);
  const PatchStore single = testing::small_store(folder / "t", 1, 3, 8);
  expect_error([&] { draw_positives(single, 5, 1); }, "at least 2 classes", "found 1");
}

// Classes of two, three and five patches, whose pairs run out one after the other.
TEST(DrawPositives, TakesWhatThereIs) {
  const testing::TempFolder folder;
  PatchStoreWriter writer(folder / "s", 8);
  for (const size_t patches : {2, 3, 5}) writer.add_class(std::vector<uint8_t>(patches * 64));
  writer.finish({{"source", "test"}});
  const PositivePairs all = draw_positives(PatchStore::open(folder / "s"), 5000, 1);
  EXPECT_EQ(std::count(all.classes.begin(), all.classes.end(), 0), 1);
  EXPECT_EQ(std::count(all.classes.begin(), all.classes.end(), 1), 3);
  EXPECT_EQ(std::count(all.classes.begin(), all.classes.end(), 2), 10);
}

}  // namespace
}  // namespace adasample
