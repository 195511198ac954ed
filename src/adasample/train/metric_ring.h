// SPDX-License-Identifier: Apache-2.0
// The figures of the last iterations, kept on the training device and read back every so often, so that an iteration
// never waits for the host; the trainer writes them, one line per iteration. And PhaseTimer: where the host's time
// goes.
#pragma once

#include <torch/torch.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

namespace adasample {

enum class Phase { kLoad, kEmbed, kSample, kForward, kBackward, kStep, kCount };
inline constexpr std::array<std::string_view, static_cast<size_t>(Phase::kCount)> kPhaseNames = {
    "load", "embed", "sample", "forward", "backward", "step"};

// lap(phase) charges the time since the last lap to a phase.
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

// What an iteration leaves on the device.
enum class Figure {
  kLoss,      // unweighted mean of L_i
  kAverage,   // L_avg after the update
  kExponent,  // lambda / L_avg times the ramp, as used
  kPositive,  // mean d_pos
  kNegative,  // mean d_neg
  kActive,    // share of triplets with L_i > 0
  kEntropy,   // of the sampling distribution, 1 = uniform
  kPairs,     // effective sample size of the weights, n where they are equal
  kRank,      // effective rank of the batch's descriptors: the host's
  kMasked,    // share of rows whose candidates were all duplicates
  kLearningRate,
  kStepped,  // 1: the step was taken; 0: skipped, a gradient was not finite
  kTerms,    // what the batch as a whole adds to the loss
  kCount
};
inline constexpr std::array<std::string_view, static_cast<size_t>(Figure::kCount)> kFigureNames = {
    "loss",           "l_avg",  "exponent", "d_pos",   "d_neg", "active", "entropy", "effective_pairs",
    "effective_rank", "masked", "lr",       "stepped", "terms"};

struct IterationFigures {
  int64_t iteration = 0;
  std::array<double, static_cast<size_t>(Figure::kCount)> values{};
  PhaseTimer timer;              // where the host's clock sees the phases
  std::function<double()> rank;  // kRank, when it is asked for; empty where it was not measured
  std::vector<double>
      waiting;  // by rank, the share of the iteration before that it waited for others; empty: no others
  double operator[](Figure figure) const { return values[static_cast<size_t>(figure)]; }
};

class MetricRing {
 public:
  MetricRing(int64_t capacity, const at::Device& device)
      : ring_(at::zeros({capacity, static_cast<int64_t>(Figure::kCount)},
                        at::TensorOptions(device).dtype(at::kDouble))) {}

  // On the device. values: one () tensor a Figure but kRank, in order. iteration: () int64.
  void write(const at::Tensor& iteration, const std::vector<at::Tensor>& values) {
    std::vector<at::Tensor> row;
    for (const at::Tensor& value : values) row.push_back(value.detach().to(at::kDouble));
    row.insert(row.begin() + static_cast<int>(Figure::kRank), at::zeros_like(row.front()));
    ring_.index_copy_(0, iteration.remainder(capacity()).view({1}), at::stack(row).unsqueeze(0));
  }
  // On the host, once `write` was asked for.
  void expect(int64_t iteration, const PhaseTimer& timer, std::function<double()> rank,
              std::vector<double> waiting = {}) {
    pending_.push_back({iteration, {}, timer, std::move(rank), std::move(waiting)});
  }

  int64_t capacity() const { return ring_.size(0); }

  // Everything written since the last call, oldest first.
  std::vector<IterationFigures> read() {
    std::vector<double> ranks;  // first: the device is still busy with the iterations after those
    for (IterationFigures& figures : pending_) {
      ranks.push_back(figures.rank ? figures.rank() : std::nan(""));
      figures.rank = nullptr;
    }
    const at::Tensor host = ring_.cpu();
    for (size_t i = 0; i < pending_.size(); ++i) {
      IterationFigures& figures = pending_[i];
      const double* row = host.data_ptr<double>() + figures.iteration % host.size(0) * host.size(1);
      std::copy(row, row + host.size(1), figures.values.begin());
      figures.values[static_cast<size_t>(Figure::kRank)] = ranks[i];
    }
    return std::exchange(pending_, {});
  }

 private:
  at::Tensor ring_;  // (capacity, figures)
  std::vector<IterationFigures> pending_;
};

}  // namespace adasample
