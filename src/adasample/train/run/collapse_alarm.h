// SPDX-License-Identifier: Apache-2.0
// Watches for collapse: all descriptors on one line through the origin, the loss pinned at the margin. Hard mining on
// views that are too wide ends there, and with a naive duplicate mask it even reads as success. Free of Torch: who
// watches a run from outside raises the same alarm.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>

namespace adasample {

class CollapseAlarm {
 public:
  explicit CollapseAlarm(double margin) : margin_(margin) {}

  struct Sign {
    std::string seen;  // which of the three signs, with its figures
    std::string cure;
    std::string text() const { return seen + " - " + cure; }
  };

  // One iteration's figures: unweighted mean loss, mean positive distance, effective rank of the batch's descriptors,
  // share of rows whose candidates were all masked as duplicates. The rank is NaN where it was not measured. Looks at
  // the last kWindow iterations; a sign, once they are full.
  //   mean loss within 0.1 of the margin while the mean positive distance is below 0.25
  //   mean effective rank below 4
  //   more than half of all rows fully masked
  std::optional<Sign> update(double loss, double positive_distance, double effective_rank, double masked_share);

  static constexpr int64_t kWindow = 100;

  // The last iterations' figures, oldest first: all there is to save and restore.
  struct Figures {
    double loss, positive_distance, effective_rank, masked_share;
  };
  const std::deque<Figures>& window() const { return window_; }
  void set_window(std::deque<Figures> window) { window_ = std::move(window); }

 private:
  double margin_;
  std::deque<Figures> window_;
};

}  // namespace adasample
