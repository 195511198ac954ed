// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/region_index.h"

#include <algorithm>
#include <cmath>

#include "adasample/base/error.h"
#include "adasample/base/rng.h"

namespace adasample {
namespace {

// Half widths of scale s lie in [2^(s/2), 2^((s+1)/2)); cells of that scale are as wide as its largest.
int scale_of(const SquareRegion& region) { return static_cast<int>(std::floor(2 * std::log2(region.half_width))); }

int64_t cell(double coordinate, int scale) {
  return static_cast<int64_t>(std::floor(coordinate / std::exp2(0.5 * (scale + 1))));
}

uint64_t key(int scale, int64_t x, int64_t y) {
  return absorb(absorb(static_cast<uint64_t>(scale), static_cast<uint64_t>(x)), static_cast<uint64_t>(y));
}

double common(double a, double half_a, double b, double half_b) {
  return std::max(0.0, std::min(a + half_a, b + half_b) - std::max(a - half_a, b - half_b));
}

}  // namespace

double overlap(const SquareRegion& a, const SquareRegion& b) {
  const double both = common(a.x, a.half_width, b.x, b.half_width) * common(a.y, a.half_width, b.y, b.half_width);
  return both / (4 * a.half_width * a.half_width + 4 * b.half_width * b.half_width - both);
}

bool RegionIndex::covers(const SquareRegion& region) const {
  const int own = scale_of(region);
  for (int scale = own - 1; scale <= own + 1; ++scale) {
    const int64_t x = cell(region.x, scale), y = cell(region.y, scale);
    for (int i = 0; i < 9; ++i) {
      const auto found = cells_.find(key(scale, x + i % 3 - 1, y + i / 3 - 1));
      if (found == cells_.end()) continue;
      for (const SquareRegion& other : found->second) {
        if (overlap(region, other) > kMostOverlap) return true;
      }
    }
  }
  return false;
}

void RegionIndex::insert(const SquareRegion& region) {
  ADA_ASSERT(region.half_width > 1e-3 && std::abs(region.x) < 1e6 && std::abs(region.y) < 1e6);
  const int scale = scale_of(region);
  cells_[key(scale, cell(region.x, scale), cell(region.y, scale))].push_back(region);
}

}  // namespace adasample
