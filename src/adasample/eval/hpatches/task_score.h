// SPDX-License-Identifier: Apache-2.0
// The figures of an HPatches task, all fractions.
#pragma once

#include <vector>

namespace adasample {

struct TaskScore {
  double trapezoid = 0;  // average precision as the benchmark's python prints it (eval/scores/average_precision.h)
  double step = 0;       // average precision as its MATLAB code and paper have it
  double extra = 0;      // verification: area under the ROC curve; matching: share of right matches; retrieval: none
};

// Not a number when there are none.
inline TaskScore mean_of(const std::vector<TaskScore>& scores) {
  TaskScore sum;
  for (const TaskScore& score : scores) {
    sum.trapezoid += score.trapezoid;
    sum.step += score.step;
    sum.extra += score.extra;
  }
  const auto count = static_cast<double>(scores.size());
  return {sum.trapezoid / count, sum.step / count, sum.extra / count};
}

}  // namespace adasample
