// SPDX-License-Identifier: Apache-2.0
// Points seen in several pictures, matched picture by picture: any descriptor on a store whose patches know their
// pictures (`data redetected`, `data colmap`). Nothing is made up: keypoints, scales and orientations are a detector's.
//
// For each two pictures a, b of a scene that share enough classes, each two once, a the one listed first:
//   queries        the patches of a whose class is seen in b
//   candidates     all patches of b
//   matching       each query is given its nearest candidate (the first of several); matches are ranked by distance,
//                  those of the query's class are right, all queries were to be found: average precision by trapezoids,
//                  as HPatches has it
//   top1           the share of the queries whose nearest candidate is right
//   verification   all pairs of a query and a candidate, positive where the class is the same: average precision by
//                  trapezoids, ties count against
//   fpr95          of the same pairs: the share of the negatives no farther than the positive with which 95 % are in
// Of a scene, matching and top1 are means over its pairs of pictures; verification and fpr95 are of the pairs of all of
// them pooled. The figures of a store are means over scenes. Distances are Euclidean, in float32.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "adasample/data/patch_store.h"
#include "adasample/model/descriptor.h"

namespace adasample {

struct TrackOptions {
  int64_t min_shared = 30;  // classes that two pictures must share to be scored

  void validate() const;
};

// Two pictures to be scored.
struct PicturePair {
  int64_t a = 0, b = 0;  // a < b
  int64_t shared = 0;    // classes seen in both
  bool operator==(const PicturePair&) const = default;
};

// The scenes of a store that have a pair to be scored, in the order of their first pictures.
struct TrackScene {
  std::string name;
  std::vector<PicturePair> pairs;  // by a, then b
  int64_t left_out = 0;            // pairs that share some classes, but too few
};

// Where meta.json says "picture_pairs": "reference", only pairs with the first picture of a scene are taken: the others
// were each found again from there, not from one another. Throws Error for a store whose patches do not know their
// pictures, and where no two pictures share enough.
std::vector<TrackScene> track_scenes(const PatchStore& store, const TrackOptions& options);

// Scores the descriptor; `seconds` receives the time spent describing. Returns "protocol", "definition", "matching",
// "top1", "fpr95", "verification", the counts "scenes", "pairs", "queries", and "sequences": by scene the same figures
// and its "pairs" (docs/formats.md). Ctrl-C throws Error.
nlohmann::ordered_json evaluate_tracks(const PatchStore& store, Descriptor& descriptor, const TrackOptions& options,
                                       double* seconds = nullptr);

// What evaluate_tracks() returned, as a table for people, in per cent.
std::string tracks_table(const nlohmann::ordered_json& result);

// A scene trained on never judges: throws Error that names the first of these stores that may show a scene of `judge`
// (data/store/provenance.h).
void refuse_trained_on(const PatchStore& judge, const std::vector<std::string>& stores);

}  // namespace adasample
