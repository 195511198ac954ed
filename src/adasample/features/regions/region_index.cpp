// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/regions/region_index.h"

#include <algorithm>
#include <cmath>

#include "adasample/base/error.h"
#include "adasample/base/random/rng.h"
#include "adasample/features/regions/region_overlap.h"

namespace adasample {
namespace {

// Half widths of scale s lie in [2^(s/2), 2^((s+1)/2)); cells of that scale are as wide as its largest.
int scale_of(const SquareRegion& region) { return static_cast<int>(std::floor(2 * std::log2(region.half_width))); }

double cell_width(int scale) { return std::exp2(0.5 * (scale + 1)); }

int64_t cell(double coordinate, int scale) { return static_cast<int64_t>(std::floor(coordinate / cell_width(scale))); }

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

RegionIndex::RegionIndex(double most_overlap, RegionShape shape) : most_overlap_(most_overlap), shape_(shape) {
  ADA_ASSERT(most_overlap >= 0 && most_overlap <= 1);
}

bool RegionIndex::covers(const SquareRegion& region) const {
  const double apart = std::ceil(-std::log2(most_overlap_));  // scales; infinite for 0
  const int own = scale_of(region);
  for (int scale = lowest_; scale <= highest_; ++scale) {
    if (std::abs(scale - own) <= apart && covers(region, scale)) return true;
  }
  return false;
}

bool RegionIndex::covers(const SquareRegion& region, int scale) const {
  const auto any_of = [&](const std::vector<SquareRegion>& others) {
    return std::any_of(others.begin(), others.end(), [&](const SquareRegion& other) { return clash(region, other); });
  };
  const double closer = shape_ == RegionShape::kSquare ? (1 - most_overlap_) / (1 + most_overlap_) : 1;
  const double reach = (region.half_width + cell_width(scale)) * closer;
  const int64_t left = cell(region.x - reach, scale), right = cell(region.x + reach, scale);
  const int64_t top = cell(region.y - reach, scale), bottom = cell(region.y + reach, scale);
  if (static_cast<double>(right - left) * static_cast<double>(bottom - top) > static_cast<double>(cells_.size())) {
    return std::any_of(cells_.begin(), cells_.end(), [&](const auto& entry) { return any_of(entry.second); });
  }
  for (int64_t y = top; y <= bottom; ++y) {
    for (int64_t x = left; x <= right; ++x) {
      const auto found = cells_.find(key(scale, x, y));
      if (found != cells_.end() && any_of(found->second)) return true;
    }
  }
  return false;
}

bool RegionIndex::clash(const SquareRegion& a, const SquareRegion& b) const {
  if (shape_ == RegionShape::kSquare) return overlap(a, b) > most_overlap_;
  const double r = a.half_width, s = b.half_width;
  // Cheap bounds first: circles apart, or too different in size.
  if (std::abs(a.x - b.x) >= r + s || std::abs(a.y - b.y) >= r + s) return false;
  if (std::min(r, s) * std::min(r, s) <= most_overlap_ * std::max(r, s) * std::max(r, s)) return false;
  return circle_overlap({a.x, a.y}, r, {b.x, b.y}, s) > most_overlap_;
}

void RegionIndex::insert(const SquareRegion& region) {
  ADA_ASSERT(region.half_width > 1e-9 && std::abs(region.x) <= 1e7 && std::abs(region.y) <= 1e7);
  const int scale = scale_of(region);
  lowest_ = cells_.empty() ? scale : std::min(lowest_, scale);
  highest_ = cells_.empty() ? scale : std::max(highest_, scale);
  cells_[key(scale, cell(region.x, scale), cell(region.y, scale))].push_back(region);
}

}  // namespace adasample
