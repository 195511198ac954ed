// SPDX-License-Identifier: Apache-2.0
// Square regions of one image, asked whether a further one shows the same spot: whether it and one of them, both taken
// upright, overlap by more than half (intersection over union). That takes half widths within a factor of sqrt 2 and
// centres closer than 2/3 of the smaller half width, so only the nine cells around it, on three scales, are looked at.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace adasample {

struct SquareRegion {
  double x = 0, y = 0;    // the centre; below 1e6 in size
  double half_width = 0;  // above 1e-3
};

// Intersection over union of two upright squares.
double overlap(const SquareRegion& a, const SquareRegion& b);

class RegionIndex {
 public:
  static constexpr double kMostOverlap = 0.5;

  bool covers(const SquareRegion& region) const;
  void insert(const SquareRegion& region);

 private:
  std::unordered_map<uint64_t, std::vector<SquareRegion>> cells_;
};

}  // namespace adasample
