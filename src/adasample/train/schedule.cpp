// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/schedule.h"

#include <cmath>

#include "adasample/base/error.h"

namespace adasample {

std::vector<std::string> schedule_names() { return {"linear", "steps", "constant"}; }

double learning_rate_factor(const std::string& schedule, int64_t t, int64_t total) {
  if (schedule == "linear") return 1 - static_cast<double>(t) / static_cast<double>(total);
  if (schedule == "steps")
    return 90 * t < 30 * total ? 1 : 90 * t < 60 * total ? 0.1 : 90 * t < 80 * total ? 0.01 : 0.001;
  ADA_ASSERT(schedule == "constant");
  return 1;
}

WarmupState warmup_at(double quantile_share, double exponent_share, int64_t t, int64_t total) {
  const auto iterations = [&](double share) { return std::llround(share * static_cast<double>(total)); };
  const int64_t first = iterations(quantile_share), second = iterations(exponent_share);
  if (t < first) return {false, 0.5 + 0.5 * static_cast<double>(t) / static_cast<double>(first), 0};
  if (t < first + second) return {true, 1, static_cast<double>(t - first) / static_cast<double>(second)};
  return {true, 1, 1};
}

}  // namespace adasample
