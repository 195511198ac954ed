// SPDX-License-Identifier: Apache-2.0
// What `adasample match` shows and writes.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "adasample/engine/open_model.h"
#include "adasample/features/describe/picture_file.h"
#include "adasample/features/match/match_drawing.h"
#include "adasample/features/match_pictures.h"

namespace adasample {

// A picture with its keypoints, to be described by several models.
struct SeenPicture {
  std::string name;
  PictureFile file;
  std::vector<Keypoint> keypoints;

  nlohmann::ordered_json json() const;
};

struct MatchedModel {
  OpenedModel opened;
  PictureMatches matches;
  double seconds_describing = 0;

  double inlier_share() const;
  nlohmann::ordered_json json() const;
};

// x1,y1,x2,y2,distance,inlier,keypoint1,keypoint2: in pixels of the files, keypoints in the order of `describe`.
std::string matches_csv(const SeenPicture& first, const SeenPicture& second, const PictureMatches& matches);

// In pixels of what is drawn. Without geometry nothing tells matches apart, and all are drawn as inliers.
MatchBand band_of(const SeenPicture& first, const SeenPicture& second, const MatchedModel& model, Geometry geometry);

std::string match_text(const SeenPicture& first, const SeenPicture& second, const std::vector<MatchedModel>& models,
                       Geometry geometry);

}  // namespace adasample
