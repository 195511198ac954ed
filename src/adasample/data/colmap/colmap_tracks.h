// SPDX-License-Identifier: Apache-2.0
// Which 3D points of a COLMAP model become classes, and in which photographs they are looked at:
//  1. one place a photograph: of several places of a track in one photograph that of smallest index is kept;
//  2. the track is long enough, its mean reprojection error small enough, some pair of its rays wide enough apart, and
//     no photograph of it is held out;
//  3. places whose region leaves the photograph, or that a search of the photograph did not find again
//     (data/colmap/redetected_keypoints.h), are dropped; two must be left;
//  4. no two points show the same spot: where regions of two points overlap by more than max_overlap in any
//     photograph (features/regions/region_index.h), the longer track stays, then the one of smaller error, then of
//     smaller id.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "adasample/base/conventions.h"
#include "adasample/data/colmap/colmap_model.h"
#include "adasample/data/store/turned_copies.h"
#include "adasample/features/keypoint.h"

namespace adasample {

struct ColmapOptions {
  int min_track = 3;                       // photographs a point must be seen in
  double min_angle = 5;                    // degrees between some two rays of a point
  double max_error = 2;                    // mean reprojection error, pixels; points whose error is not known pass
  int max_views = 32;                      // patches a class; of more, a random choice
  double region = kSiftRegion;             // half width of the measurement region, in sigmas of the keypoint
  double max_overlap = 0.5;                // of two points' regions in a photograph, intersection over union
  int patch_size = 32;                     // pixels
  double sigma = 0;                        // scale for keypoints that have none, pixels; 0 refuses them
  double min_contrast = 5;                 // standard deviation of a patch, grey levels; flatter ones are dropped
  std::vector<std::string> holdout = {};   // photographs no point of which becomes a class
  int64_t block_bytes = int64_t{1} << 30;  // patches held in memory; where there are more, photographs are read again
  std::string scene = "scene";             // what the photographs show, by name
  TurnedCopies copies = {};                // classes filled up, for training; patches then do not know their pictures
  uint64_t seed = 0;

  void validate() const;
};

// What became of the model's points; adds up to `points`.
struct ColmapTally {
  int64_t points = 0, short_track = 0, large_error = 0, small_angle = 0, held_out = 0, out_of_image = 0, same_spot = 0,
          flat = 0, classes = 0;
};

// A place a point is looked at.
struct ColmapView {
  size_t image = 0;    // index into ColmapModel::images
  uint32_t index = 0;  // of the keypoint there
  Keypoint keypoint;
};

struct ColmapTrack {
  const ColmapPoint* point = nullptr;
  std::vector<ColmapView> views;  // by image
};

// All keypoints of the photograph of this name, in the detector's order and in our coordinates (pixel centres at
// integers); sigma is 0 where the scale is not known, negative where the place is to be dropped. Called from several
// threads at once.
using ColmapKeypoints = std::function<std::vector<Keypoint>(const std::string& name)>;

// Rules 1 and 2, in the order of point ids; keypoints are not yet known.
std::vector<ColmapTrack> select_tracks(const ColmapModel& model, const ColmapOptions& options, ColmapTally& tally);

// Fills in the keypoints, and rule 3. Throws Error when a keypoint is not where the model has it: the two do not belong
// together.
void locate_tracks(const ColmapModel& model, const ColmapKeypoints& keypoints, const ColmapOptions& options,
                   std::vector<ColmapTrack>& tracks, ColmapTally& tally);

// Rule 4.
void drop_same_spots(const ColmapModel& model, const ColmapOptions& options, std::vector<ColmapTrack>& tracks,
                     ColmapTally& tally);

// Cuts long tracks down to max_views.
void choose_views(const ColmapModel& model, const ColmapOptions& options, std::vector<ColmapTrack>& tracks);

}  // namespace adasample
