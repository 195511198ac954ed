// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/hpatches/hpatches_matching.h"

#include <algorithm>

#include "adasample/base/error.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/parallel.h"
#include "adasample/base/progress.h"
#include "adasample/eval/scores/average_precision.h"
#include "adasample/features/match/nearest_rows.h"

namespace adasample {
namespace {

constexpr size_t kRowsAtATime = 32;  // rows of the reference at a time: their sums stay in the cache

TaskScore match(const DescribedSequence& sequence, size_t level, int image, Norm norm) {
  const NearestRows rows(norm, sequence.strip(level, image), sequence.dimension);
  const std::span<const float> reference = sequence.strip(level, 0);
  const auto patches = static_cast<size_t>(sequence.shape.patches), width = static_cast<size_t>(sequence.dimension);
  std::vector<uint8_t> right;
  std::vector<double> scores;
  for (size_t first = 0; first < patches; first += kRowsAtATime) {
    const size_t count = std::min(kRowsAtATime, patches - first);
    for (const auto& [row, distance] : rows.find(reference.subspan(first * width, count * width))) {
      right.push_back(row == std::ssize(right) ? 1 : 0);
      scores.push_back(-distance);
    }
  }
  const RankedCurve curve = ranked_curve(right, scores, static_cast<int64_t>(patches));
  return {average_precision_trapezoid(curve), average_precision_step(curve),
          static_cast<double>(std::count(right.begin(), right.end(), 1)) / static_cast<double>(patches)};
}

}  // namespace

MatchingResult evaluate_matching(const DescriptorSet& set, Norm norm) {
  struct Job {
    size_t sequence, level;
    int image;
  };
  std::vector<Job> jobs;
  MatchingResult result;
  result.images.resize(set.sequences.size());
  result.sequences.resize(set.sequences.size());
  for (size_t s = 0; s < set.sequences.size(); ++s) {
    const int images = set.sequences[s].shape.images;
    for (size_t level = 0; level < kHpatchesLevels.size(); ++level) {
      result.images[s][level].resize(static_cast<size_t>(images - 1));
      for (int image = 1; image < images; ++image) jobs.push_back({s, level, image});
    }
  }
  Progress progress("matching", "images", std::ssize(jobs));
  parallel_for(std::ssize(jobs), [&](int64_t i) {
    if (stop_requested()) ADA_THROW_KIND(kInterrupted, "[eval] interrupted during matching");
    const auto& [s, level, image] = jobs[static_cast<size_t>(i)];
    result.images[s][level][static_cast<size_t>(image - 1)] = match(set.sequences[s], level, image, norm);
    progress.add(1);
  });

  for (size_t level = 0; level < kHpatchesLevels.size(); ++level) {
    std::vector<TaskScore> all;
    for (size_t s = 0; s < set.sequences.size(); ++s) {
      const std::vector<TaskScore>& images = result.images[s][level];
      result.sequences[s][level] = mean_of(images);
      all.insert(all.end(), images.begin(), images.end());
    }
    result.levels[level] = mean_of(all);
  }
  result.mean = mean_of(std::vector(result.levels.begin(), result.levels.end()));
  return result;
}

}  // namespace adasample
