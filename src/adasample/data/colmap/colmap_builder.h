// SPDX-License-Identifier: Apache-2.0
// What both forms of a COLMAP model share: records arrive one by one, cameras first, then images, then points, and are
// checked while the reader still knows where they stood.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "adasample/data/colmap/colmap_model.h"

namespace adasample {

// Throws Error that names the file and the place of the record in hand.
using ColmapFail = std::function<void(std::string_view expected, std::string_view found)>;

class ColmapBuilder {
 public:
  void add(ColmapCamera camera, const ColmapFail& fail);
  void add(ColmapImage image, const ColmapFail& fail);
  void add(ColmapPoint point, const ColmapFail& fail);
  ColmapModel finish();  // sorts; the builder is spent afterwards

 private:
  void check_track(const ColmapPoint& point, const ColmapFail& fail) const;

  ColmapModel model_;
  std::unordered_set<uint32_t> cameras_;
  std::unordered_map<uint32_t, size_t> images_;  // id -> index
  std::unordered_set<std::string> names_;
  std::unordered_set<uint64_t> points_;
};

// The three files of a model, in memory.
struct ColmapFiles {
  struct File {
    std::string name;  // as messages give it
    std::span<const uint8_t> bytes;
  };
  File cameras, images, points;
};

ColmapModel parse_colmap_text(const ColmapFiles& files);
ColmapModel parse_colmap_binary(const ColmapFiles& files);

// Number of the camera model; fails with the names of all.
int colmap_camera_model(std::string_view name, const ColmapFail& fail);
int colmap_camera_model(int64_t number, const ColmapFail& fail);

}  // namespace adasample
