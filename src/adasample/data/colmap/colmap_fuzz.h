// SPDX-License-Identifier: Apache-2.0
// What the fuzz targets of both forms of a COLMAP model share.
#pragma once

#include <algorithm>

#include "adasample/base/error.h"
#include "adasample/data/colmap/colmap_builder.h"
#include "adasample/data/colmap/colmap_tracks.h"

namespace adasample {

// Input: two 16-bit lengths, then cameras, images and, as the rest, points3D. Whatever the bytes: an Error, or a model
// that keeps its promises and is not larger than its files.
inline int fuzz_colmap(const uint8_t* data, size_t size, ColmapModel (*parse)(const ColmapFiles&)) {
  if (size < 4) return 0;
  const std::span<const uint8_t> body(data + 4, size - 4);
  const size_t first = std::min<size_t>(data[0] | data[1] << 8, body.size());
  const size_t second = std::min<size_t>(data[2] | data[3] << 8, body.size() - first);
  try {
    const ColmapModel model = parse({{"cameras", body.first(first)},
                                     {"images", body.subspan(first, second)},
                                     {"points3D", body.subspan(first + second)}});
    size_t records = model.cameras.size() + model.images.size() + model.points.size();
    for (const ColmapImage& image : model.images) {
      records += image.points.size();
      if (model.camera(image.camera).width < 1) __builtin_trap();
    }
    for (const ColmapPoint& point : model.points) {
      for (const ColmapObservation& seen : point.track) {
        if (model.image(seen.image).points.at(seen.index).point != point.id) __builtin_trap();
      }
    }
    if (records + static_cast<size_t>(model.observation_count()) > size) __builtin_trap();
    ColmapTally tally;
    const auto tracks = select_tracks(model, {.min_track = 2}, tally);
    if (std::ssize(tracks) > tally.points) __builtin_trap();
  } catch (const Error& error) {
    if (error.kind() == Error::Kind::kBug) __builtin_trap();
  }
  return 0;
}

}  // namespace adasample
