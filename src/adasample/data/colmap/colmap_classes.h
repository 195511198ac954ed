// SPDX-License-Identifier: Apache-2.0
// A COLMAP model's points as patch classes: a patch for each photograph a point is seen in, cut around the keypoint
// that was matched there, with its scale and orientation. data/colmap/colmap_tracks.h says which points and places.
#pragma once

#include <filesystem>
#include <string>

#include "adasample/data/colmap/colmap_tracks.h"

namespace adasample {

// Where the patches come from.
struct ColmapSources {
  std::filesystem::path images;  // folder the photographs' names are below
  ColmapKeypoints keypoints;
};

// What a model's folder shows, by its path: the innermost name on it that is neither a number nor one that COLMAP gives
// itself ("sparse", "dense", "model", "txt"); "scene" where there is none.
std::string scene_of_model(const std::filesystem::path& model);

// Writes the store to `out`, which must not exist. Classes come in the order of point ids, patches in the order of
// image ids; the bytes depend on model, sources and options alone, not on the thread count.
ColmapTally make_colmap_store(const ColmapModel& model, const ColmapSources& sources, const ColmapOptions& options,
                              const std::filesystem::path& out);

}  // namespace adasample
