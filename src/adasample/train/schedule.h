// SPDX-License-Identifier: Apache-2.0
// What changes with the iteration: the learning rate and the warm-up. Pure functions of t and the run's length, so that
// a run can be resumed, and any moment of it recomputed, from the iteration number alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace adasample {

// Factor on the learning rate at iteration t of `total`:
//   linear  1 - t / total      steps  1, 0.1, 0.01, 0.001 from 30/90, 60/90 and 80/90 of the run      constant  1
double learning_rate_factor(const std::string& schedule, int64_t t, int64_t total);
std::vector<std::string> schedule_names();

struct WarmupState {
  bool hardest;     // negatives are the closest ones; else those at `quantile`
  double quantile;  // of in-batch similarity, from 0.5 to 1 over the first part
  double ramp;      // factor on the exponent: 0 during the first part, then up to 1 over the second
};

WarmupState warmup_at(double quantile_share, double exponent_share, int64_t t, int64_t total);

}  // namespace adasample
