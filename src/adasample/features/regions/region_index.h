// SPDX-License-Identifier: Apache-2.0
// Regions of one image, asked whether a further one shows the same spot: whether it and one of them overlap by more
// than t (intersection over union). That takes half widths a, b within a factor of 1/sqrt(t) and centres closer than a
// + b, for upright squares (a + b) (1 - t) / (1 + t), so only a few cells around it, on a few scales, are looked at.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace adasample {

struct SquareRegion {
  double x = 0, y = 0;    // the centre; at most 1e7 in size
  double half_width = 0;  // above 1e-9
};

enum class RegionShape { kSquare, kCircle };  // upright; half_width is the radius

// Intersection over union of two upright squares.
double overlap(const SquareRegion& a, const SquareRegion& b);

class RegionIndex {
 public:
  explicit RegionIndex(double most_overlap, RegionShape shape = RegionShape::kSquare);  // t, 0 to 1

  bool clash(const SquareRegion& a, const SquareRegion& b) const;  // whether two overlap by more
  bool covers(const SquareRegion& region) const;
  void insert(const SquareRegion& region);

 private:
  bool covers(const SquareRegion& region, int scale) const;  // by a region of that scale

  double most_overlap_;
  RegionShape shape_;
  int lowest_ = 0, highest_ = -1;  // scales in use
  std::unordered_map<uint64_t, std::vector<SquareRegion>> cells_;
};

}  // namespace adasample
