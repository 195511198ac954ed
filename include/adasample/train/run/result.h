// SPDX-License-Identifier: Apache-2.0
// How a training run ended, and what it learned.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adasample/model/weights.h"

namespace adasample {

struct TrainResult {
  enum class End { kComplete, kStopped, kCollapsed, kNotFinite };
  End end = End::kComplete;
  std::string reason;                 // of an early end, one line
  int64_t iterations = 0, pairs = 0;  // those before a resumption included, as in seconds
  double seconds = 0;                 // in the loop, evaluations not counted
  Weights weights;                    // the last, or their exponential average where that is on
  std::optional<Weights> best;
  double best_score = 0;
  struct Rank {
    std::string place;
    double waited = 0;  // seconds that it waited for the others and the network
  };
  std::vector<Rank> ranks = {};  // of a run in several processes
  int64_t sent = 0;              // bytes that this one handed to the others, since it was started
};

std::string_view to_string(TrainResult::End end);
TrainResult::End parse_end(std::string_view name);  // throws Error for another name

}  // namespace adasample
