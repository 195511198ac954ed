// SPDX-License-Identifier: Apache-2.0
// Only the ranks of the few counterparts matter, so nothing is sorted but them: a distractor that is nearer than some
// counterpart is counted under the nearest counterpart it precedes and the smallest pool it belongs to.
#include "adasample/eval/hpatches/hpatches_retrieval.h"

#include <algorithm>
#include <cmath>

#include "adasample/base/error.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/parallel.h"
#include "adasample/base/progress.h"
#include "adasample/eval/scores/average_precision.h"
#include "adasample/features/match/distance_table.h"

namespace adasample {
namespace {

constexpr size_t kQueriesAtATime = 32;  // at a time: their part of the table stays in the cache

void append_row(const DescriptorSet& set, const PatchPlace& place, std::vector<float>& rows) {
  const std::span<const float> row = set.sequences[place.sequence].row(0, 0, place.patch);
  rows.insert(rows.end(), row.begin(), row.end());
}

// Of each distractor its place among those of other sequences than `sequence`; -1 for that sequence's own.
std::vector<int32_t> places_without(size_t sequence, const std::vector<PatchPlace>& distractors) {
  std::vector<int32_t> places;
  places.reserve(distractors.size());
  int32_t next = 0;
  for (const PatchPlace& distractor : distractors) places.push_back(distractor.sequence == sequence ? -1 : next++);
  return places;
}

// Distances of a query to its counterparts of one level, ascending.
std::vector<double> counterparts(const DescribedSequence& sequence, size_t level, int64_t patch, Norm norm) {
  std::vector<float> rows;
  for (int image = 1; image < sequence.shape.images; ++image) {
    const std::span<const float> row = sequence.row(level, image, patch);
    rows.insert(rows.end(), row.begin(), row.end());
  }
  const DistanceTable table(norm, rows, sequence.dimension);
  std::vector<double> distances(static_cast<size_t>(table.rows()));
  table.distances(sequence.row(level, 0, patch), distances);
  std::sort(distances.begin(), distances.end());
  return distances;
}

// How many distractors precede each counterpart, by pool.
class Ranks {
 public:
  explicit Ranks(std::vector<double> counterparts)
      : counterparts_(std::move(counterparts)), counts_(counterparts_.size()) {}

  double farthest() const { return counterparts_.back(); }

  // The distractor at `place` of the pool's distractors.
  void add(double distance, int64_t place) {
    const auto nearer = std::upper_bound(counterparts_.begin(), counterparts_.end(), distance);
    if (nearer == counterparts_.end()) return;
    const auto pool = std::upper_bound(kPoolSizes.begin(), kPoolSizes.end(), place + std::ssize(counterparts_));
    if (pool == kPoolSizes.end()) return;
    ++counts_[static_cast<size_t>(nearer - counterparts_.begin())][static_cast<size_t>(pool - kPoolSizes.begin())];
  }

  std::array<TaskScore, kPoolSizes.size()> scores() const {
    std::array<TaskScore, kPoolSizes.size()> scores;
    std::vector<int64_t> before(counterparts_.size());  // distractors between a counterpart and the one before it
    for (size_t pool = 0; pool < kPoolSizes.size(); ++pool) {
      RankedAreas areas(std::ssize(counterparts_), 0);
      for (size_t i = 0; i < before.size(); ++i) {
        before[i] += counts_[i][pool];
        areas.negatives(before[i]);
        areas.positive();
      }
      scores[pool] = {areas.trapezoid(), areas.step(), 0};
    }
    return scores;
  }

 private:
  std::vector<double> counterparts_;
  std::vector<std::array<int64_t, kPoolSizes.size()>> counts_;
};

RetrievalScores score_query(const DescribedSequence& sequence, int64_t patch, std::span<const double> distances,
                            const std::vector<int32_t>& places, Norm norm) {
  RetrievalScores scores;
  for (size_t level = 0; level < kHpatchesLevels.size(); ++level) {
    Ranks ranks(counterparts(sequence, level, patch, norm));
    const double farthest = ranks.farthest();
    for (size_t i = 0; i < distances.size(); ++i) {
      if (distances[i] < farthest && places[i] >= 0) ranks.add(distances[i], places[i]);
    }
    scores[level] = ranks.scores();
  }
  return scores;
}

// Of the queries of one sequence, or of all.
RetrievalScores mean_over(const std::vector<RetrievalScores>& queries, const std::vector<size_t>& chosen) {
  RetrievalScores mean;
  std::vector<TaskScore> scores(chosen.size());
  for (size_t level = 0; level < mean.size(); ++level) {
    for (size_t pool = 0; pool < kPoolSizes.size(); ++pool) {
      for (size_t i = 0; i < chosen.size(); ++i) scores[i] = queries[chosen[i]][level][pool];
      mean[level][pool] = mean_of(scores);
    }
  }
  return mean;
}

}  // namespace

RetrievalResult evaluate_retrieval(const DescriptorSet& set, const RetrievalLists& lists, Norm norm) {
  ADA_ASSERT(!lists.queries.empty() && !lists.distractors.empty());
  std::vector<float> rows;
  for (const PatchPlace& place : lists.distractors) append_row(set, place, rows);
  const DistanceTable table(norm, rows, set.dimension);
  std::vector<std::vector<int32_t>> places;
  for (size_t s = 0; s < set.sequences.size(); ++s) places.push_back(places_without(s, lists.distractors));

  const size_t count = lists.queries.size(), distractors = lists.distractors.size();
  RetrievalResult result;
  result.queries.resize(count);
  Progress progress("retrieval", "queries", static_cast<int64_t>(count));
  parallel_for(static_cast<int64_t>((count + kQueriesAtATime - 1) / kQueriesAtATime), [&](int64_t chunk) {
    if (stop_requested()) ADA_THROW_KIND(kInterrupted, "[eval] interrupted during retrieval");
    const size_t begin = static_cast<size_t>(chunk) * kQueriesAtATime, end = std::min(count, begin + kQueriesAtATime);
    std::vector<float> queries;
    for (size_t q = begin; q < end; ++q) append_row(set, lists.queries[q], queries);
    std::vector<double> distances((end - begin) * distractors);
    table.distances(queries, distances);
    for (size_t q = begin; q < end; ++q) {
      const PatchPlace& place = lists.queries[q];
      result.queries[q] = score_query(set.sequences[place.sequence], place.patch,
                                      std::span(distances).subspan((q - begin) * distractors, distractors),
                                      places[place.sequence], norm);
    }
    progress.add(static_cast<int64_t>(end - begin));
  });

  std::vector<size_t> all;
  std::vector<std::vector<size_t>> chosen(set.sequences.size());
  for (size_t q = 0; q < count; ++q) {
    all.push_back(q);
    chosen[lists.queries[q].sequence].push_back(q);
  }
  result.levels = mean_over(result.queries, all);
  for (const auto& queries : chosen) result.sequences.push_back(mean_over(result.queries, queries));
  std::vector<TaskScore> largest;
  for (const auto& level : result.levels) largest.push_back(level.back());
  result.mean = mean_of(largest);
  return result;
}

}  // namespace adasample
