// SPDX-License-Identifier: Apache-2.0
// Homography sequences -> a patch store of points that a detector found again by itself. Keypoints are detected in
// every picture on its own; features/regions/refound.h says which of them are the same point. Every patch is cut at its
// own keypoint, with its own scale and orientation: the noise is the detector's, none is made up. This is where users
// live; `eval tracks` scores it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <utility>
#include <vector>

#include "adasample/data/store/turned_copies.h"
#include "adasample/features/feature_options.h"
#include "adasample/features/keypoint.h"
#include "adasample/features/regions/refound.h"

namespace adasample {

struct RedetectedOptions {
  FeatureOptions features = {};  // its `size` is that of the patches
  double min_overlap = 0.5;      // of the inscribed discs of two regions that are one point, intersection over union
  double max_overlap = 0.5;      // of two points' discs in a picture: of more than this the stronger one stays
  TurnedCopies copies = {};      // classes filled up, for training; patches then do not know their pictures
  uint64_t seed = 0;             // of the copies
  bool skip_bad = false;         // leave out sequences that cannot be read, with a warning

  void validate() const;
};

// A point in the pictures it was seen in: the reference first, then targets in their order.
struct PointViews {
  std::vector<std::pair<size_t, Keypoint>> views;  // picture of the sequence, and where in it
};

// keypoints[i]: of picture i, strongest first; again[i]: what was found again in picture i + 1. Of points whose discs
// overlap by more than max_overlap the stronger one stays, in the reference among all that were found again, then in
// each target; a point needs one target at least.
std::vector<PointViews> choose_points(const std::vector<std::vector<Keypoint>>& keypoints,
                                      const std::vector<std::vector<RefoundKeypoint>>& again,
                                      const RedetectedOptions& options);

// Writes the store `out`, which must not exist: a class is the patch of the reference and one of each target where the
// point was found again, one at least. Regions lie inside their pictures; choose_points() sees to it that no negative
// shows the same spot.
// With `copies` it is training data. Otherwise patches know their pictures, and only pairs with a reference are to be
// scored ("picture_pairs": "reference"). Returns what meta.json holds. The bytes depend on files and options, not on
// the thread count.
nlohmann::ordered_json make_redetected_store(const std::filesystem::path& folder, const RedetectedOptions& options,
                                             const std::filesystem::path& out);

}  // namespace adasample
