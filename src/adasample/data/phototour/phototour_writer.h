// SPDX-License-Identifier: Apache-2.0
// A set in PhotoTour's own format, byte for byte as its readers expect it: sheets of 1024 x 1024 with a grey palette,
// the last one padded, info.txt, interest.txt and one match list.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "adasample/base/files/file_io.h"
#include "adasample/data/labelled_pairs.h"
#include "adasample/data/phototour/phototour.h"

namespace adasample {

class PhotoTourWriter {
 public:
  // The folder must not exist; it appears with finish(), complete, or not at all.
  explicit PhotoTourWriter(const std::filesystem::path& folder);

  // patch: (64, 64). `point` is the class, `picture` the photograph it was cut from. Points may come in any order and
  // with any gaps.
  void add(std::span<const uint8_t> patch, int64_t point, int64_t picture);
  int64_t patch_count() const { return static_cast<int64_t>(points_.size()); }

  // Draws the match list, half of its lines matches of two patches of one point, half of them patches of two points,
  // and names it by its number of lines: the most of 1,000, 2,000, 5,000, .. 100,000 that the points have different
  // matches for, at least 20. Throws Error where there is no point of two patches, or only one point.
  void finish(uint64_t seed);

 private:
  void write_sheet();

  StagedFolder staged_;
  std::vector<int64_t> points_, pictures_;
  std::vector<uint8_t> sheet_;  // (1024, 1024), under construction
};

// The lists: columns patch, point, 0, patch, point, 0.
std::string phototour_match_text(const PatchPairs& pairs, std::span<const int64_t> points);

}  // namespace adasample
