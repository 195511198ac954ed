// SPDX-License-Identifier: Apache-2.0
// Verification over more negatives than can be kept: the positives are known and sorted first, then every negative is
// only counted at the positive that it comes before. Ties count against: a negative as far as a positive comes first.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace adasample {

class PairRanks {
 public:
  // At least one, none of them negative.
  explicit PairRanks(std::vector<float> positives);

  int64_t positives() const { return static_cast<int64_t>(sorted_.size()); }
  size_t places() const { return sorted_.size() + 1; }

  // The number of positives nearer than this: what negatives are counted by, 0 to positives().
  size_t place(float distance) const {
    if (!(distance <= sorted_.back())) return sorted_.size();
    size_t i = starts_[bin(distance)];
    while (sorted_[i] < distance) ++i;
    return i;
  }

  // The distance with which this share of the positives is in.
  float distance_at(double recall) const { return sorted_[deciding(recall)]; }

  struct Figures {
    double average_precision = 0;  // by trapezoids
    double fpr95 = 0;
    int64_t negatives = 0;
  };
  // counts[p]: the negatives at place p. Without negatives fpr95 is 0.
  Figures figures(std::span<const int64_t> counts) const;

 private:
  size_t deciding(double recall) const;
  size_t bin(float distance) const { return static_cast<size_t>(distance * bins_per_unit_); }

  std::vector<float> sorted_;
  std::vector<size_t> starts_;  // [bin]: the first positive that is not in an earlier bin
  float bins_per_unit_ = 0;
};

}  // namespace adasample
