// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/hpatches/hpatches_verification.h"

#include <algorithm>
#include <cmath>

#include "adasample/base/error.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/parallel.h"
#include "adasample/base/progress.h"
#include "adasample/eval/scores/average_precision.h"

namespace adasample {
namespace {

constexpr int64_t kChunk = 4096;  // pairs
constexpr size_t kAhead = 8;      // pairs: rows lie all over hundreds of megabytes, and waiting for each costs most

void prefetch(std::span<const float> row) {
  constexpr size_t kLine = 64 / sizeof(float);
  for (size_t i = 0; i < row.size(); i += kLine) __builtin_prefetch(row.data() + i);
}

std::vector<float> distances_of(const DescriptorSet& set, const std::vector<PlacePair>& list, size_t level, Norm norm,
                                Progress& progress) {
  const auto row = [&](const PatchPlace& place) {
    return set.sequences[place.sequence].row(level, place.image, place.patch);
  };
  std::vector<float> distances(list.size());
  const int64_t count = std::ssize(list);
  parallel_for((count + kChunk - 1) / kChunk, [&](int64_t chunk) {
    if (stop_requested()) ADA_THROW_KIND(kInterrupted, "[eval] interrupted during verification");
    const int64_t end = std::min(count, (chunk + 1) * kChunk);
    for (auto i = static_cast<size_t>(chunk * kChunk); i < static_cast<size_t>(end); ++i) {
      if (i + kAhead < list.size()) {
        prefetch(row(list[i + kAhead].first));
        prefetch(row(list[i + kAhead].second));
      }
      distances[i] = pair_distance(norm, row(list[i].first), row(list[i].second));
    }
    progress.add(end - chunk * kChunk);
  });
  return distances;
}

// Walks down the ranked list of both.
RankedAreas areas(const std::vector<float>& negatives, const std::vector<float>& positives) {  // sorted
  RankedAreas areas(std::ssize(positives), std::ssize(negatives));
  auto negative = negatives.begin();
  for (const float distance : positives) {
    const auto begin = negative;
    while (negative != negatives.end() && *negative <= distance) ++negative;
    areas.negatives(negative - begin);
    areas.positive();
  }
  areas.negatives(negatives.end() - negative);
  return areas;
}

// The positives of a list or of a sequence, sorted: all of them, and those among the first fifth of the rows.
struct Positives {
  std::vector<float> all, fifth;

  void sort() {
    std::sort(all.begin(), all.end());
    std::sort(fifth.begin(), fifth.end());
  }
};

TaskScore score(const std::vector<float>& negatives, const Positives& positives) {
  if (positives.fifth.empty()) return {NAN, NAN, NAN};
  const RankedAreas imbalanced = areas(negatives, positives.fifth);
  return {imbalanced.trapezoid(), imbalanced.step(), areas(negatives, positives.all).auc()};
}

// `values` by the sequence of the first patch of their row.
std::vector<std::vector<float>> by_sequence(const std::vector<float>& values, const std::vector<PlacePair>& list,
                                            size_t rows, size_t sequences) {
  std::vector<std::vector<float>> parts(sequences);
  for (size_t i = 0; i < rows; ++i) parts[list[i].first.sequence].push_back(values[i]);
  return parts;
}

}  // namespace

TaskScore mean_of(const VerificationScores& scores) {
  std::vector<TaskScore> all;
  for (const auto& level : scores) all.insert(all.end(), level.begin(), level.end());
  return mean_of(all);
}

VerificationResult evaluate_verification(const DescriptorSet& set, const VerificationLists& lists, Norm norm) {
  const size_t rows = lists.positives.size(), sequences = set.sequences.size();
  ADA_ASSERT(rows > 0 && lists.intra.size() == rows && lists.inter.size() == rows);
  const auto fifth = static_cast<size_t>(static_cast<double>(rows) * 0.2);
  VerificationResult result;
  result.sequences.resize(sequences);
  Progress progress("verification", "pairs", static_cast<int64_t>(rows * 3 * kHpatchesLevels.size()));
  for (size_t level = 0; level < kHpatchesLevels.size(); ++level) {
    const std::vector<float> distances = distances_of(set, lists.positives, level, norm, progress);
    // Part 0 is the whole list, part s + 1 the rows of sequence s.
    std::vector<Positives> positives(sequences + 1);
    auto all = by_sequence(distances, lists.positives, rows, sequences);
    auto first = by_sequence(distances, lists.positives, fifth, sequences);
    for (size_t s = 0; s < sequences; ++s) positives[s + 1] = {std::move(all[s]), std::move(first[s])};
    positives[0] = {distances, {distances.begin(), distances.begin() + static_cast<int64_t>(fifth)}};
    parallel_for(std::ssize(positives), [&](int64_t part) { positives[static_cast<size_t>(part)].sort(); });

    const std::vector<PlacePair>* negative_lists[] = {&lists.inter, &lists.intra};
    for (size_t kind = 0; kind < kVerificationKinds.size(); ++kind) {
      const std::vector<PlacePair>& list = *negative_lists[kind];
      std::vector<std::vector<float>> negatives(1);
      negatives[0] = distances_of(set, list, level, norm, progress);
      for (auto& part : by_sequence(negatives[0], list, rows, sequences)) negatives.push_back(std::move(part));
      parallel_for(std::ssize(negatives), [&](int64_t i) {
        const auto part = static_cast<size_t>(i);
        std::sort(negatives[part].begin(), negatives[part].end());
        (part == 0 ? result.scores : result.sequences[part - 1])[level][kind] = score(negatives[part], positives[part]);
      });
    }
  }
  return result;
}

}  // namespace adasample
