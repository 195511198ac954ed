// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/fpr95.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "adasample/base/error.h"

namespace adasample {

// No sort: the distance of the deciding positive is selected, and everything else is counted against it.
FprAtRecall fpr_at_recall(std::span<const uint8_t> labels, std::span<const double> distances, double recall) {
  ADA_ASSERT(labels.size() == distances.size());
  ADA_USAGE(recall > 0 && recall <= 1, "recall = {}, must be in (0, 1]", recall);
  std::vector<double> positive, negative;
  for (size_t i = 0; i < labels.size(); ++i) {
    ADA_CHECK(!std::isnan(distances[i]), "[eval] the distance of pair {} is not a number", i);
    (labels[i] != 0 ? positive : negative).push_back(distances[i]);
  }
  ADA_CHECK(!positive.empty(), "[eval] {} pairs and no positive among them: FPR is not defined", labels.size());
  ADA_CHECK(!negative.empty(), "[eval] {} pairs and no negative among them: FPR is not defined", labels.size());

  const auto needed = static_cast<int64_t>(std::ceil(recall * static_cast<double>(positive.size())));
  std::nth_element(positive.begin(), positive.begin() + (needed - 1), positive.end());
  const double threshold = positive[static_cast<size_t>(needed - 1)];
  const auto nearer = [=](double distance) { return distance < threshold; };
  const auto not_farther = [=](double distance) { return distance <= threshold; };
  const int64_t below = std::count_if(negative.begin(), negative.end(), nearer);
  const int64_t up_to = std::count_if(negative.begin(), negative.end(), not_farther);

  // Among the ties in input order: the negatives before the positive that reaches the mark.
  int64_t missing = needed - std::count_if(positive.begin(), positive.end(), nearer);
  int64_t before = below;
  for (size_t i = 0; missing > 0; ++i) {
    if (distances[i] != threshold) continue;
    if (labels[i] != 0) {
      --missing;
    } else {
      ++before;
    }
  }

  const auto total = static_cast<double>(negative.size());
  return {.value = static_cast<double>(before) / total,
          .low = static_cast<double>(below) / total,
          .high = static_cast<double>(up_to) / total,
          .positives = static_cast<int64_t>(positive.size()),
          .negatives = static_cast<int64_t>(negative.size())};
}

}  // namespace adasample
