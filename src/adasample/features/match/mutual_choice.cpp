// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/match/mutual_choice.h"

#include <algorithm>
#include <limits>

namespace adasample {

RowSpread spread_of(std::span<const float> rows, size_t dimension) {
  RowSpread spread;
  for (size_t at = 0; at < rows.size(); at += dimension) {
    double norm = 0;
    float most = 0;
    for (size_t k = 0; k < dimension; ++k) {
      const float value = rows[at + k];
      norm += double{value} * value;
      most = std::max(most, std::abs(value));
    }
    spread.finite = spread.finite && std::isfinite(norm);
    spread.most_entry = std::max(spread.most_entry, double{most});
    spread.most_norm = std::max(spread.most_norm, std::sqrt(norm));
    spread.least_norm = std::min(spread.least_norm, std::sqrt(norm));
  }
  return spread;
}

bool products_are_safe(const RowSpread& a, const RowSpread& b) {
  constexpr double kLeast = 1e-12, kMost = 1e12;
  const double norms = a.most_norm * b.most_norm;
  return a.finite && b.finite && norms >= kLeast && norms <= kMost;
}

float float_margin(const RowSpread& queries, const RowSpread& rows, size_t dimension) {
  const double error =
      static_cast<double>(dimension + 4) * std::numeric_limits<float>::epsilon() * queries.most_norm * rows.most_norm;
  return static_cast<float>(2 * error + rows.squares_apart() / 2);
}

ChosenColumns::ChosenColumns(const std::vector<NearestOther>& of_rows, size_t columns) : place_(columns, -1) {
  for (const NearestOther& row : of_rows) {
    int32_t& place = place_[static_cast<size_t>(row.other)];
    if (place >= 0) continue;
    place = static_cast<int32_t>(chosen_.size());
    chosen_.push_back(static_cast<uint32_t>(row.other));
  }
}

std::vector<MutualPair> ChosenColumns::mutual(const std::vector<NearestOther>& of_rows,
                                              const std::vector<NearestOther>& of_chosen) const {
  std::vector<MutualPair> pairs;
  for (size_t i = 0; i < of_rows.size(); ++i) {
    const NearestOther& there = of_rows[i];
    const NearestOther& back = of_chosen[static_cast<size_t>(place(static_cast<size_t>(there.other)))];
    if (back.other != static_cast<int64_t>(i)) continue;
    pairs.push_back({static_cast<int64_t>(i), there.other, there.distance, std::min(there.next, back.next)});
  }
  return pairs;
}

}  // namespace adasample
