// SPDX-License-Identifier: Apache-2.0
// Many pairs of pictures matched and verified: whatever threads are free take a pair each; a few pictures are in
// memory. What comes out does not depend on the number of threads, on the order of pairs, or on what was matched
// before.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "adasample/features/describe_picture.h"
#include "adasample/features/match/two_view.h"
#include "adasample/features/match_pictures.h"
#include "adasample/integrate/matching/pair_list.h"

namespace adasample {

struct MatchPairsOptions {
  MatchLimits limits = {.ratio = 0.9};
  TwoViewOptions geometry = {};              // but for its threshold
  double threshold = 0;                      // of inliers, pixels; 0: see threshold_for()
  bool verify = true;                        // else every pair is kUndefined
  int64_t picture_bytes = int64_t{1} << 30;  // of features that are kept in memory, or two for each thread

  void validate() const;
};

// A thousandth of the longest side, 1 pixel at least and 4, as COLMAP's, at most: places are known to a fraction of a
// pixel, and what lenses bend grows with the picture.
double threshold_for(const DescribedPicture& first, const DescribedPicture& second);

// Picture numbers are indices.
struct PairSource {
  std::vector<std::string> names;
  // Of each picture; null: not known. In the same pixels as its keypoints.
  std::vector<std::optional<CameraIntrinsics>> cameras;
  std::function<DescribedPicture(size_t picture)> features;  // one call at a time
};

struct MatchedPair {
  ImagePair pair;
  std::vector<RatedMatch> matches;  // mutual, within the limits
  TwoView view;
};

struct MatchPairsReport {
  int64_t pairs = 0, verified = 0;      // verified: with inliers
  int64_t matches = 0, inliers = 0;     // of all pairs
  std::vector<std::string> complaints;  // of pictures whose features cannot be read; their pairs are left out
  double seconds = 0, seconds_matching = 0, seconds_verifying = 0;  // the latter two of all threads together
};

// `matched` is called pair by pair, in order, one call at a time; `save` now and then, between two of them, and at the
// end. Ctrl-C saves and throws.
MatchPairsReport match_pairs(const PairSource& source, std::vector<ImagePair> pairs, const MatchPairsOptions& options,
                             const std::function<void(const MatchedPair&)>& matched, const std::function<void()>& save);

}  // namespace adasample
