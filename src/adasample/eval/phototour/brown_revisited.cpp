// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/phototour/brown_revisited.h"

#include <algorithm>
#include <limits>
#include <map>

#include "adasample/base/error.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/parallel.h"
#include "adasample/eval/scores/average_precision.h"
#include "adasample/features/match/distance_table.h"

namespace adasample {
namespace {

constexpr size_t kQueries = 32;          // anchors at a time
constexpr size_t kTogether = 8192;       // patches described in one go
constexpr size_t kSearchedAbove = 1000;  // the published program's limit and step
constexpr size_t kSearchStep = 128;

// What an anchor is compared by.
struct Anchor {
  std::vector<double> positives;  // distances to the other patches of its point
  double negative = 0;            // to the nearest patch of another point; infinite when there is none
  double published_negative = 0;
};

Anchor judge(std::span<const double> row, std::span<const int64_t> points, size_t anchor, bool searched) {
  Anchor a;
  a.negative = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < row.size(); ++i) {
    if (points[i] != points[anchor]) {
      a.negative = std::min(a.negative, row[i]);
    } else if (i != anchor) {
      a.positives.push_back(row[i]);
    }
  }
  a.published_negative = a.negative;
  if (!searched) {
    a.published_negative = row[0];
  } else if (row.size() == a.positives.size() + 1) {  // the search falls back on the anchor's own point
    a.published_negative = *std::min_element(a.positives.begin(), a.positives.end());
  }
  return a;
}

double average_precision(const std::vector<Anchor>& anchors, double Anchor::*negative) {
  std::vector<uint8_t> right;
  std::vector<double> scores;
  for (const Anchor& anchor : anchors) {
    for (const double positive : anchor.positives) {
      const auto [less, more] = std::minmax(positive, anchor.*negative);
      right.push_back(positive <= anchor.*negative ? 1 : 0);
      scores.push_back(1 - (more > 0 ? less / more : 1));
    }
  }
  return average_precision_ties_together(right, scores);
}

// Patches by photograph, in their order.
std::map<int64_t, std::vector<int64_t>> by_photograph(std::span<const int64_t> photographs) {
  std::map<int64_t, std::vector<int64_t>> members;
  for (size_t i = 0; i < photographs.size(); ++i) members[photographs[i]].push_back(static_cast<int64_t>(i));
  return members;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

}  // namespace

std::optional<PhotographScore> score_photograph(std::span<const int64_t> points, std::span<const double> descriptors,
                                                int dimension) {
  const size_t count = points.size(), width = static_cast<size_t>(dimension);
  const size_t searched = count > kSearchedAbove ? count / kSearchStep * kSearchStep : 0;
  const DistanceTable table(Norm::kL2, descriptors, dimension);
  std::vector<Anchor> anchors(count);
  parallel_for(static_cast<int64_t>((count + kQueries - 1) / kQueries), [&](int64_t block) {
    const size_t first = static_cast<size_t>(block) * kQueries, some = std::min(kQueries, count - first);
    std::vector<double> rows(some * count);
    table.distances(descriptors.subspan(first * width, some * width), rows);
    for (size_t i = 0; i < some; ++i) {
      anchors[first + i] = judge(std::span(rows).subspan(i * count, count), points, first + i, first + i < searched);
    }
  });
  PhotographScore score;
  score.patches = static_cast<int64_t>(count);
  for (const Anchor& anchor : anchors) score.pairs += std::ssize(anchor.positives);
  if (score.pairs == 0) return std::nullopt;
  score.published = average_precision(anchors, &Anchor::published_negative);
  const bool one_point = std::all_of(points.begin(), points.end(), [&](int64_t p) { return p == points[0]; });
  if (!one_point) score.intended = average_precision(anchors, &Anchor::negative);
  return score;
}

BrownRevisited evaluate_brown_revisited(std::span<const int64_t> points, std::span<const int64_t> photographs,
                                        const PatchRows& rows) {
  ADA_CHECK(points.size() == photographs.size(), "[eval] expected a photograph for each of {} patches, found {}",
            points.size(), photographs.size());
  ADA_CHECK(rows.metric == nullptr,
            "[eval] expected descriptors that are compared by their distance, found a learned metric, which only tells "
            "pairs apart - eval phototour scores it");
  const auto members = by_photograph(photographs);
  const auto width = static_cast<size_t>(rows.dimension);
  Progress progress("describing and matching", "patches", std::ssize(points));
  BrownRevisited result;
  std::vector<double> published, intended;
  for (auto first = members.begin(); first != members.end();) {
    std::vector<int64_t> patches;
    auto last = first;
    for (; last != members.end() && (last == first || patches.size() + last->second.size() <= kTogether); ++last) {
      patches.insert(patches.end(), last->second.begin(), last->second.end());
    }
    const std::vector<float> values = rows.read(patches, progress);
    size_t place = 0;
    for (; first != last; ++first) {
      if (stop_requested()) ADA_THROW_KIND(kInterrupted, "[eval] interrupted while matching photographs");
      const auto& [photograph, inside] = *first;
      std::vector<int64_t> their_points;
      for (const int64_t patch : inside) their_points.push_back(points[static_cast<size_t>(patch)]);
      const auto begin = values.begin() + static_cast<int64_t>(place * width);
      const std::vector<double> wide(begin, begin + static_cast<int64_t>(inside.size() * width));
      place += inside.size();
      std::optional<PhotographScore> score = score_photograph(their_points, wide, rows.dimension);
      if (!score) {
        ++result.without_pairs;
        continue;
      }
      score->photograph = photograph;
      published.push_back(score->published);
      if (score->intended) intended.push_back(*score->intended);
      result.photographs.push_back(*score);
    }
  }
  ADA_CHECK(!intended.empty(),
            "[eval] none of {} photographs shows two points and one of them twice - is interest.txt of this set?",
            members.size());
  result.published = mean(published);
  result.intended = mean(intended);
  return result;
}

}  // namespace adasample
