// SPDX-License-Identifier: Apache-2.0
// Where an iteration's time goes: lap(phase) charges the time since the last lap to a phase.
#pragma once

#include <array>
#include <chrono>
#include <string_view>

namespace adasample {

enum class Phase { kLoad, kEmbed, kSample, kForward, kBackward, kStep, kCount };
inline constexpr std::array<std::string_view, static_cast<size_t>(Phase::kCount)> kPhaseNames = {
    "load", "embed", "sample", "forward", "backward", "step"};

class PhaseTimer {
 public:
  using Clock = std::chrono::steady_clock;

  void start() {
    seconds_ = {};
    last_ = Clock::now();
  }
  void lap(Phase phase) {
    const auto now = Clock::now();
    seconds_[static_cast<size_t>(phase)] += std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }
  double seconds(Phase phase) const { return seconds_[static_cast<size_t>(phase)]; }
  double total() const {
    double sum = 0;
    for (const double s : seconds_) sum += s;
    return sum;
  }

 private:
  std::array<double, static_cast<size_t>(Phase::kCount)> seconds_{};
  Clock::time_point last_;
};

}  // namespace adasample
