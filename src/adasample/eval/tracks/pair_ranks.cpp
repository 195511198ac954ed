// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/tracks/pair_ranks.h"

#include <algorithm>
#include <cmath>

#include "adasample/base/error.h"
#include "adasample/eval/scores/average_precision.h"

namespace adasample {
namespace {

constexpr size_t kBins = 1 << 16;  // a few positives each

}  // namespace

PairRanks::PairRanks(std::vector<float> positives) : sorted_(std::move(positives)) {
  ADA_ASSERT(!sorted_.empty());
  std::sort(sorted_.begin(), sorted_.end());
  ADA_ASSERT(sorted_.front() >= 0 && std::isfinite(sorted_.back()));
  bins_per_unit_ = sorted_.back() > 0 ? static_cast<float>(kBins) / sorted_.back() : 0.0f;
  if (!std::isfinite(bins_per_unit_)) bins_per_unit_ = 0;  // distances below float's range: one bin
  // bin() never falls as the distance grows, so all of a bin before a distance's own are nearer than it.
  starts_.resize(bin(sorted_.back()) + 1);
  size_t i = 0;
  for (size_t b = 0; b < starts_.size(); ++b) {
    while (bin(sorted_[i]) < b) ++i;
    starts_[b] = i;
  }
}

size_t PairRanks::deciding(double recall) const {
  return static_cast<size_t>(std::ceil(recall * static_cast<double>(sorted_.size()))) - 1;
}

PairRanks::Figures PairRanks::figures(std::span<const int64_t> counts) const {
  ADA_ASSERT(counts.size() == places());
  Figures figures;
  for (const int64_t count : counts) figures.negatives += count;
  RankedAreas areas(positives(), figures.negatives);
  const size_t last = deciding(0.95);
  int64_t before = 0, accepted = 0;
  for (size_t i = 0; i < sorted_.size(); ++i) {
    areas.negatives(counts[i]);
    areas.positive();
    before += counts[i];
    if (i == last) accepted = before;
  }
  areas.negatives(counts.back());
  figures.average_precision = areas.trapezoid();
  if (figures.negatives > 0) {
    figures.fpr95 = static_cast<double>(accepted) / static_cast<double>(figures.negatives);
  }
  return figures;
}

}  // namespace adasample
