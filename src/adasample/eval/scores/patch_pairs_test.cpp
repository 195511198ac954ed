// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/patch_pairs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "adasample/base/parallel.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

using testing::expect_error;
using testing::TempFolder;

constexpr int kSize = 4;

// Class c holds c % 3 + 2 patches, all pixels c, but the first, which carries the patch's number in the class.
PatchStore make_store(const TempFolder& folder, int classes) {
  PatchStoreWriter writer(folder / "store", kSize);
  for (int c = 0; c < classes; ++c) {
    const int count = c % 3 + 2;
    std::vector<uint8_t> patches(static_cast<size_t>(count * kSize * kSize), static_cast<uint8_t>(c));
    for (int i = 0; i < count; ++i) patches[static_cast<size_t>(i * kSize * kSize)] = static_cast<uint8_t>(i);
    writer.add_class(patches);
  }
  writer.finish(nlohmann::json::object());
  return PatchStore::open(folder / "store");
}

int64_t class_of(const PatchStore& store, int64_t patch) {
  int64_t c = 0;
  while (store.class_begin(c) + store.class_size(c) <= patch) ++c;
  return c;
}

// Two numbers: the class's grey value and (scaled) the number in the class.
class PixelDescriptor : public Descriptor {
 public:
  explicit PixelDescriptor(float second_scale) : second_scale_(second_scale) {}
  std::string name() const override { return "pixels"; }
  int dimension() const override { return 2; }
  void describe(std::span<const uint8_t> patches, int64_t count, int size, std::span<float> out) override {
    const size_t stride = static_cast<size_t>(size) * static_cast<size_t>(size);
    ASSERT_EQ(patches.size(), static_cast<size_t>(count) * stride);
    ASSERT_EQ(out.size(), static_cast<size_t>(count) * 2);
    for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
      out[2 * i] = static_cast<float>(patches[i * stride + 1]);
      out[2 * i + 1] = second_scale_ * static_cast<float>(patches[i * stride]);
      ++seen[{patches[i * stride + 1], patches[i * stride]}];
    }
  }

  std::map<std::pair<int, int>, int> seen;

 private:
  float second_scale_;
};

TEST(PatchPairs, PositivesShareAClassNegativesDoNot) {
  const TempFolder folder;
  const PatchStore store = make_store(folder, 20);
  const PatchPairs pairs = draw_pairs(store, {.pairs = 500, .seed = 7});
  ASSERT_EQ(pairs.labels.size(), 1000u);
  EXPECT_EQ(std::count(pairs.labels.begin(), pairs.labels.end(), 1), 500);
  EXPECT_TRUE(std::is_sorted(pairs.labels.begin(), pairs.labels.end()));  // negatives first
  for (size_t i = 0; i < pairs.labels.size(); ++i) {
    EXPECT_NE(pairs.first[i], pairs.second[i]);
    EXPECT_EQ(class_of(store, pairs.first[i]) == class_of(store, pairs.second[i]), pairs.labels[i] == 1);
  }
}

TEST(PatchPairs, ClassesAndPatchesAreUniform) {
  const TempFolder folder;
  const PatchStore store = make_store(folder, 3);  // of 2, 3 and 4 patches
  const int64_t n = 30000;
  const PatchPairs pairs = draw_pairs(store, {.pairs = n, .seed = 7});
  std::map<std::pair<int64_t, int64_t>, double> count;
  for (size_t i = 0; i < pairs.labels.size(); ++i) ++count[{pairs.first[i], pairs.second[i]}];
  double chi_square = 0;
  int cells = 0;
  const auto expect_cell = [&](int64_t a, int64_t b, double probability) {
    const double expected = static_cast<double>(n) * probability;
    chi_square += (count[{a, b}] - expected) * (count[{a, b}] - expected) / expected;
    ++cells;
  };
  for (int64_t a = 0; a < store.patch_count(); ++a) {
    for (int64_t b = 0; b < store.patch_count(); ++b) {
      const auto size_a = static_cast<double>(store.class_size(class_of(store, a)));
      const auto size_b = static_cast<double>(store.class_size(class_of(store, b)));
      if (class_of(store, a) != class_of(store, b)) {
        expect_cell(a, b, 1.0 / 6 / (size_a * size_b));
      } else if (a != b) {
        expect_cell(a, b, 1.0 / 3 / (size_a * (size_a - 1)));
      }
    }
  }
  EXPECT_EQ(cells, 72);
  EXPECT_LT(chi_square, 112.3);  // 70 degrees of freedom (two totals are fixed), p = 0.001
}

TEST(PatchPairs, AreAFunctionOfSeedAndNumber) {
  const TempFolder folder;
  const PatchStore store = make_store(folder, 20);
  const PatchPairs few = draw_pairs(store, {.pairs = 10, .seed = 7});
  const PatchPairs more = draw_pairs(store, {.pairs = 30, .seed = 7});
  EXPECT_TRUE(std::equal(few.first.begin(), few.first.begin() + 10, more.first.begin()));
  EXPECT_TRUE(std::equal(few.first.begin() + 10, few.first.end(), more.first.begin() + 30));
  EXPECT_NE(few.first, draw_pairs(store, {.pairs = 10, .seed = 8}).first);
}

TEST(EvaluatePatches, ScoresAPerfectAndAUselessDescriptor) {
  const TempFolder folder;
  const PatchStore store = make_store(folder, 50);
  PixelDescriptor perfect(0.01f);
  double seconds = -1;
  const PairScores best = evaluate_patches(store, perfect, {.pairs = 300, .seed = 2}, &seconds);
  EXPECT_EQ(best.fpr95.high, 0.0);
  EXPECT_DOUBLE_EQ(best.ap, 1.0);
  EXPECT_DOUBLE_EQ(best.auc, 1.0);
  EXPECT_EQ(best.positives, 300);
  EXPECT_GE(seconds, 0.0);
  for (const auto& [patch, times] : perfect.seen) EXPECT_EQ(times, 1);

  class Constant : public PixelDescriptor {
   public:
    Constant() : PixelDescriptor(0) {}
    void describe(std::span<const uint8_t>, int64_t, int, std::span<float> out) override {
      std::fill(out.begin(), out.end(), 1.0f);
    }
  } constant;
  const PairScores worst = evaluate_patches(store, constant, {.pairs = 300, .seed = 2});
  EXPECT_EQ(worst.fpr95.value, 1.0);
  EXPECT_EQ(worst.auc, 0.5);
}

// Rows that say nothing, and a metric that knows all: classes are told by the pixels.
class KnowingMetric : public PixelDescriptor, public PairMetric {
 public:
  KnowingMetric() : PixelDescriptor(0) {}
  const PairMetric* metric() const override { return this; }
  void describe(std::span<const uint8_t> patches, int64_t count, int size, std::span<float> out) override {
    const auto area = static_cast<size_t>(size * size), width = static_cast<size_t>(dimension());
    std::fill(out.begin(), out.end(), 0.0f);
    for (size_t i = 0; i < static_cast<size_t>(count); ++i) out[i * width] = 1e-30f * patches[i * area + 1];
  }
  void measure(std::span<const float> rows, std::span<const int64_t> first, std::span<const int64_t> second,
               std::span<double> distances) const override {
    const auto at = [&](int64_t row) { return rows[static_cast<size_t>(row * dimension())]; };
    for (size_t i = 0; i < distances.size(); ++i) distances[i] = at(first[i]) == at(second[i]) ? -3 : 2;
  }
};

TEST(EvaluatePatches, ByALearnedMetricWhereThereIsOne) {
  const TempFolder folder;
  const PatchStore store = make_store(folder, 30);
  KnowingMetric knowing;
  EXPECT_EQ(evaluate_patches(store, knowing, {.pairs = 200, .seed = 2}).fpr95.value, 0.0);
  EXPECT_EQ(evaluate_patches(store, knowing, {.pairs = 200, .seed = 2, .metric = "learned"}).fpr95.value, 0.0);
  EXPECT_GT(evaluate_patches(store, knowing, {.pairs = 200, .seed = 2, .metric = "euclidean"}).fpr95.high, 0.9);
  PixelDescriptor plain(0);
  expect_error([&] { evaluate_patches(store, plain, {.pairs = 200, .seed = 2, .metric = "learned"}); }, "[eval]",
               "expected a learned metric, found weights without one");
  expect_error([&] { evaluate_patches(store, plain, {.pairs = 200, .seed = 2, .metric = "cosine"}); },
               "PairOptions::metric = 'cosine'");
}

TEST(EvaluatePatches, DoesNotDependOnTheThreadCount) {
  const TempFolder folder;
  const PatchStore store = make_store(folder, 50);
  std::vector<double> found;
  for (const int threads : {1, 3}) {
    set_thread_count(threads);
    PixelDescriptor descriptor(40.0f);
    const PairScores scores = evaluate_patches(store, descriptor, {.pairs = 3000, .seed = 2});
    found.insert(found.end(), {scores.fpr95.value, scores.ap, scores.ap_trapezoid, scores.auc});
  }
  EXPECT_TRUE(std::equal(found.begin(), found.begin() + 4, found.begin() + 4));
  EXPECT_GT(found[0], 0.0);
}

TEST(PatchPairs, RefusesTheImpossible) {
  const TempFolder folder;
  const PatchStore store = make_store(folder, 1);
  expect_error([&] { draw_pairs(store, {}); }, "store", "at least 2 classes", "found 1");
  expect_error([&] { draw_pairs(store, {.pairs = 0}); }, "PairOptions::pairs = 0");
  expect_error([] { PairOptions{.pairs = 200'000'000}.validate(); }, "PairOptions::pairs = 200000000");
}

}  // namespace
}  // namespace adasample
