// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/scores/dense_fpr.h"

#include <algorithm>
#include <cmath>

#include "adasample/base/error.h"
#include "adasample/base/parallel.h"
#include "adasample/base/random/feistel.h"
#include "adasample/base/random/rng.h"
#include "adasample/eval/descriptors/patch_rows.h"
#include "adasample/features/match/distance_table.h"

namespace adasample {
namespace {

int64_t pairs_in(int64_t patches) { return patches * (patches - 1) / 2; }

// Pair `number` of pairs_in(patches): patches one apart, then two, and so on, around a ring.
std::pair<int64_t, int64_t> pair_of_ring(int64_t patches, int64_t number) {
  const int64_t first = number % patches;
  return {first, (first + 1 + number / patches) % patches};
}

struct NegativeCounts {
  int64_t nearer = 0, as_near = 0, all = 0;
};

NegativeCounts& operator+=(NegativeCounts& sum, const NegativeCounts& more) {
  sum.nearer += more.nearer;
  sum.as_near += more.as_near;
  sum.all += more.all;
  return sum;
}

// Distances of each a_i to every b_j, in blocks: visit(i, distances).
template <typename Visit>
void for_rows_of_distances(std::span<const float> a, std::span<const float> b, int dimension, const Visit& visit) {
  constexpr int64_t kRows = 32;  // at a time
  const auto width = static_cast<size_t>(dimension);
  const auto count = static_cast<int64_t>(a.size() / width);
  const DistanceTable table(Norm::kL2, b, dimension);
  parallel_for((count + kRows - 1) / kRows, [&](int64_t block) {
    const int64_t begin = block * kRows, rows = std::min(kRows, count - begin);
    std::vector<double> distances(static_cast<size_t>(rows * count));
    table.distances(a.subspan(static_cast<size_t>(begin) * width, static_cast<size_t>(rows) * width), distances);
    for (int64_t i = 0; i < rows; ++i) {
      visit(begin + i, std::span(distances).subspan(static_cast<size_t>(i * count), static_cast<size_t>(count)));
    }
  });
}

// By the same arithmetic as the negatives', so that equal rows tie.
std::vector<double> positive_distances(std::span<const float> a, std::span<const float> b, int dimension) {
  const auto width = static_cast<size_t>(dimension), count = a.size() / width;
  std::vector<double> distances(count);
  for (size_t i = 0; i < count; ++i) {
    DistanceTable(Norm::kL2, b.subspan(i * width, width), dimension)
        .distances(a.subspan(i * width, width), std::span(distances).subspan(i, 1));
    ADA_CHECK(!std::isnan(distances[i]), "[eval] the distance of pair {} is not a number", i);
  }
  return distances;
}

// rows: descriptors of the patches that a and b number.
FprAtRecall metric_fpr(const PairMetric& metric, std::span<const float> rows, std::span<const int64_t> a,
                       std::span<const int64_t> b, std::span<const int64_t> classes) {
  const auto count = std::ssize(classes);
  std::vector<int64_t> first, second;
  std::vector<uint8_t> labels;
  for (int64_t s = 0; s <= std::min(kMetricNegatives, count - 1); ++s) {
    for (int64_t i = 0; i < count; ++i) {
      const auto left = static_cast<size_t>(i), right = static_cast<size_t>((i + s) % count);
      if (s > 0 && classes[left] == classes[right]) continue;
      first.push_back(a[left]);
      second.push_back(b[right]);
      labels.push_back(s == 0 ? 1 : 0);
    }
  }
  std::vector<double> distances(labels.size());
  metric.measure(rows, first, second, distances);
  FprAtRecall fpr = fpr_at_recall(labels, distances);
  fpr.value = fpr.high;
  return fpr;
}

}  // namespace

PositivePairs draw_positives(const PatchStore& store, int64_t most, uint64_t seed) {
  ADA_USAGE(most >= 1, "draw_positives: most = {}, must be 1 or more", most);
  const int64_t classes = store.class_count();
  ADA_CHECK(classes >= 2, "[eval] {}: expected at least 2 classes to draw negatives from, found {}",
            store.folder().string(), classes);
  const RngKey key = RngKey(seed, Draw::kPairs).at(2);  // 0 and 1 are patch_pairs.cpp's
  const FeistelPermutation order(static_cast<uint64_t>(classes), key.at(0));
  PositivePairs drawn;
  for (int64_t round = 0, before = -1; before != std::ssize(drawn.first); ++round) {
    before = std::ssize(drawn.first);
    for (int64_t i = 0; i < classes && std::ssize(drawn.first) < most; ++i) {
      const auto c = static_cast<int64_t>(order.image(static_cast<uint64_t>(i)));
      const int64_t patches = store.class_size(c);
      if (round >= pairs_in(patches)) continue;
      const FeistelPermutation patch(static_cast<uint64_t>(patches), key.at(1).at(static_cast<uint64_t>(c)));
      const auto [first, second] = pair_of_ring(patches, round);
      drawn.first.push_back(store.class_begin(c) + static_cast<int64_t>(patch.image(static_cast<uint64_t>(first))));
      drawn.second.push_back(store.class_begin(c) + static_cast<int64_t>(patch.image(static_cast<uint64_t>(second))));
      drawn.classes.push_back(c);
    }
  }
  return drawn;
}

FprAtRecall dense_fpr(std::span<const float> a, std::span<const float> b, int dimension,
                      std::span<const int64_t> classes, double recall) {
  ADA_ASSERT(a.size() == b.size() && a.size() == classes.size() * static_cast<size_t>(dimension));
  ADA_USAGE(recall > 0 && recall <= 1, "recall = {}, must be in (0, 1]", recall);
  ADA_CHECK(!classes.empty(), "[eval] no positive pair: FPR is not defined");
  std::vector<double> positive = positive_distances(a, b, dimension);
  const auto needed = static_cast<int64_t>(std::ceil(recall * static_cast<double>(positive.size())));
  std::nth_element(positive.begin(), positive.begin() + (needed - 1), positive.end());
  const double threshold = positive[static_cast<size_t>(needed - 1)];

  std::vector<NegativeCounts> of_rows(classes.size());
  for_rows_of_distances(a, b, dimension, [&](int64_t row, std::span<const double> distances) {
    const int64_t own = classes[static_cast<size_t>(row)];
    NegativeCounts counts;
    for (size_t j = 0; j < distances.size(); ++j) {
      const int64_t negative = classes[j] != own ? 1 : 0;
      counts.all += negative;
      counts.nearer += distances[j] < threshold ? negative : 0;
      counts.as_near += distances[j] <= threshold ? negative : 0;
    }
    of_rows[static_cast<size_t>(row)] = counts;
  });
  NegativeCounts sum;
  for (const NegativeCounts& counts : of_rows) sum += counts;
  ADA_CHECK(sum.all > 0, "[eval] {} pairs, all of one class: FPR is not defined", classes.size());
  const auto total = static_cast<double>(sum.all);
  const double high = static_cast<double>(sum.as_near) / total;
  return {.value = high,
          .low = static_cast<double>(sum.nearer) / total,
          .high = high,
          .positives = std::ssize(positive),
          .negatives = sum.all};
}

FprAtRecall dense_fpr(const PositivePairs& pairs, const PatchSource& source, Descriptor& descriptor) {
  std::vector<int64_t> patches = pairs.first;  // each once, however many pairs have it
  patches.insert(patches.end(), pairs.second.begin(), pairs.second.end());
  std::sort(patches.begin(), patches.end());
  patches.erase(std::unique(patches.begin(), patches.end()), patches.end());
  double seconds = 0;
  Progress progress("describing", "patches", std::ssize(patches));
  const std::vector<float> described = rows_by(source, descriptor, seconds).read(patches, progress);
  const auto width = static_cast<size_t>(descriptor.dimension());
  const auto number = [&](int64_t patch) {
    return std::lower_bound(patches.begin(), patches.end(), patch) - patches.begin();
  };
  if (descriptor.metric() != nullptr) {
    const auto numbers = [&](const std::vector<int64_t>& side) {
      std::vector<int64_t> all;
      for (const int64_t patch : side) all.push_back(number(patch));
      return all;
    };
    return metric_fpr(*descriptor.metric(), described, numbers(pairs.first), numbers(pairs.second), pairs.classes);
  }
  const auto rows_of = [&](const std::vector<int64_t>& side) {
    std::vector<float> rows(side.size() * width);
    for (size_t i = 0; i < side.size(); ++i) {
      const auto at = static_cast<size_t>(number(side[i]));
      std::copy_n(described.begin() + static_cast<std::ptrdiff_t>(at * width), width,
                  rows.begin() + static_cast<std::ptrdiff_t>(i * width));
    }
    return rows;
  };
  return dense_fpr(rows_of(pairs.first), rows_of(pairs.second), descriptor.dimension(), pairs.classes);
}

}  // namespace adasample
