// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/scores/pair_evaluation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "adasample/base/parallel.h"
#include "adasample/image/resize.h"
#include "tests/support/expect_error.h"
#include "tests/support/phototour_set.h"
#include "tests/support/small_store.h"
#include "tests/support/temp_folder.h"
#include "tests/support/warnings.h"

namespace adasample {
namespace {

// The golden set of PhotoTour: patch i is 7 i + 13 (i / 256) and a pattern that all share, modulo 256.
class GoldenSet : public ::testing::Test {
 protected:
  static PhotoTour make(const std::filesystem::path& folder) {
    testing::write_golden_set(folder);
    return PhotoTour::open(folder);
  }

  testing::TempFolder folder_;
  PhotoTour set_ = make(folder_ / "golden");
  PatchPairs pairs_ = set_.read_matches(set_.match_list({}));
  std::vector<std::string> warnings_ = testing::take_warnings();  // of 40 pairs where the name says 100000
};

// The first pixel as a point of a closed curve, since the golden formula wraps at 256; whole numbers, so that
// distances tie exactly or not at all.
std::pair<int, int> on_a_diamond(uint8_t value) { return {std::abs(value - 128), std::abs((value + 64) % 256 - 128)}; }

class FirstPixel : public Descriptor {
 public:
  std::string name() const override { return "first pixel"; }
  int dimension() const override { return 2; }
  void describe(std::span<const uint8_t> patches, int64_t count, int size, std::span<float> out) override {
    for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
      const auto [x, y] = on_a_diamond(patches[i * static_cast<size_t>(size * size)]);
      out[2 * i] = static_cast<float>(x);
      out[2 * i + 1] = static_cast<float>(y);
      ++described;
    }
  }
  int described = 0;
};

TEST_F(GoldenSet, SourceIsTheSheetsResized) {
  std::vector<uint8_t> full(64 * 64), half(32 * 32);
  EXPECT_EQ(source_of(set_, 32).size, 32);
  source_of(set_, 64).read(299, full);
  source_of(set_, 32).read(299, half);
  EXPECT_EQ(full[64 * 9 + 17], testing::golden_pixel(299, 17, 9));
  EXPECT_EQ(half, resize_patch(full, 64, 32));
}

// FPR at recall r by its definition: walk the pairs in the order of distance to the positive that makes the share r.
double fpr_by_definition(const PatchPairs& pairs, double recall) {
  std::vector<std::pair<double, int>> ranked;  // at equal distance positives first: the lower bound
  for (size_t i = 0; i < pairs.labels.size(); ++i) {
    const auto a = on_a_diamond(testing::golden_pixel(pairs.first[i], 0, 0));
    const auto b = on_a_diamond(testing::golden_pixel(pairs.second[i], 0, 0));
    ranked.emplace_back(std::hypot(a.first - b.first, a.second - b.second), 1 - pairs.labels[i]);
  }
  std::sort(ranked.begin(), ranked.end());
  const auto positives = std::count(pairs.labels.begin(), pairs.labels.end(), 1);
  int64_t found = 0, wrong = 0;
  for (const auto& [distance, negative] : ranked) {
    found += 1 - negative;
    if (static_cast<double>(found) >= recall * static_cast<double>(positives)) break;
    wrong += negative;
  }
  return static_cast<double>(wrong) / static_cast<double>(ranked.size() - static_cast<size_t>(positives));
}

TEST_F(GoldenSet, MatchListIsScoredByItsDefinition) {
  const int threads = thread_count();
  for (const int count : {1, 3}) {
    set_thread_count(count);
    FirstPixel descriptor;
    double seconds = -1;
    const PairScores scores = evaluate_pairs(pairs_, source_of(set_, 64), descriptor, &seconds);
    EXPECT_EQ(scores.positives, 20);
    EXPECT_EQ(scores.negatives, 20);
    EXPECT_DOUBLE_EQ(scores.fpr95.low, fpr_by_definition(pairs_, 0.95));
    EXPECT_DOUBLE_EQ(scores.fpr99.low, fpr_by_definition(pairs_, 0.99));
    EXPECT_GT(scores.fpr95.low, 0) << "a perfect descriptor would prove nothing";
    EXPECT_GE(seconds, 0);

    std::map<int64_t, int> needed;
    for (size_t i = 0; i < pairs_.labels.size(); ++i) ++needed[pairs_.first[i]], ++needed[pairs_.second[i]];
    EXPECT_EQ(descriptor.described, static_cast<int>(needed.size())) << "each patch once";
    EXPECT_LT(needed.size(), 2 * pairs_.labels.size());
  }
  set_thread_count(threads);
}

TEST(StoreSource, AFileThatIsTruncatedMeanwhileGivesNoPatchOfZeros) {
  const testing::TempFolder folder;
  const PatchStore store = testing::small_store(folder / "store", 8, 16);
  std::vector<uint8_t> patch(32 * 32);
  source_of(store).read(127, patch);
  std::filesystem::resize_file(folder / "store/patches.npy", 1 << 16);
  testing::expect_error([&] { source_of(store).read(127, patch); }, "[npy]", "patches.npy: was truncated");
}

}  // namespace
}  // namespace adasample
