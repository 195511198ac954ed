// SPDX-License-Identifier: Apache-2.0
// COLMAP's database as a matcher sees it: features in, matches and two-view geometries out, pair by pair. Unlike
// integrate/colmap/colmap_writer.h it saves as it goes: a pair is there with both of its rows or not at all, and what
// is there is not matched again.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "adasample/data/colmap/colmap_model.h"
#include "adasample/features/describe_picture.h"
#include "adasample/features/match/two_view.h"
#include "adasample/features/match_pictures.h"

namespace adasample {

struct ColmapPicture {
  int64_t id = 0;
  std::string name;
  ColmapCamera camera;
  bool focal_known = false;  // COLMAP's prior_focal_length
  int64_t keypoints = 0;     // 0: no features
};

inline constexpr int64_t kMostColmapImages = 2147483647;
// COLMAP's number of a pair; a < b.
inline int64_t colmap_pair_id(int64_t a, int64_t b) { return kMostColmapImages * a + b; }

// Two pictures by id and how many inliers they have.
struct VerifiedPair {
  int64_t first = 0, second = 0, inliers = 0;
};

class ColmapMatchDatabase {
 public:
  virtual ~ColmapMatchDatabase() = default;

  virtual std::vector<ColmapPicture> pictures() = 0;  // by id
  // Keypoints in COLMAP's pixels and rows of norm 1 (integrate/colmap/colmap_encoding.h).
  virtual DescribedPicture features(const ColmapPicture& picture) = 0;

  virtual std::set<int64_t> finished() = 0;  // pairs that have both rows
  virtual std::vector<VerifiedPair> verified() = 0;
  // In place of what is there; `matches` are keypoints of the picture with the smaller id, then of the other.
  virtual void write(int64_t pair, std::span<const Match> matches, const TwoView& view) = 0;
  virtual void save() = 0;  // what was written survives from now on
  virtual void clear_matches() = 0;
};

// An existing one. Throws Error as open_colmap_writer() does.
std::unique_ptr<ColmapMatchDatabase> open_colmap_match_database(
    const std::filesystem::path& path, std::chrono::milliseconds patience = std::chrono::seconds(10));

}  // namespace adasample
