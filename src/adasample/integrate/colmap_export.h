// SPDX-License-Identifier: Apache-2.0
// Photographs into COLMAP's database: keypoints, ours or COLMAP's own, and descriptors for its matchers.
#pragma once

#include <filesystem>
#include <string>

#include "adasample/eval/picture_features.h"
#include "adasample/integrate/colmap_encoding.h"
#include "adasample/integrate/colmap_writer.h"

namespace adasample {

// One of detector_names(), or "sift": OpenCV's, with the limits of COLMAP's own extractor: two keypoints where a second
// orientation stands out, which max_keypoints counts as one.
inline constexpr const char* kSiftDetector = "sift";

struct ColmapExportOptions {
  std::string detector = kSiftDetector;
  int max_keypoints = 8192;            // a photograph; the strongest
  bool upright = false;                // angle 0 instead of the dominant orientation
  double region_factor = kSiftRegion;  // half width of the region described, in sigmas
  int max_side = 3200;                 // pixels; a larger photograph is halved until it fits
  std::string camera_model = "SIMPLE_RADIAL";
  bool single_camera = false;  // one camera for all photographs; else one for each lens that EXIF names, or each file
  ColmapEncoding encoding = ColmapEncoding::kSigned;
  double sigma = 0;            // redescribe: scale of keypoints that have none, pixels; 0 refuses them
  bool clear_matches = false;  // redescribe: drop matches, which belong to the old descriptors; else they are refused

  void validate() const;
};

struct ColmapExportReport {
  int64_t images = 0, keypoints = 0, cameras = 0, cleared_matches = 0;
  double seconds_describing = 0;
};

// Adds the photographs below `folder`, named by their paths there, with cameras as COLMAP's feature_extractor makes
// them. Images that the database holds without features keep their cameras; one with features is refused. Pixels are
// taken as stored, whatever EXIF says of their orientation, as COLMAP does. Commits at the end.
ColmapExportReport export_to_colmap(const std::filesystem::path& folder, ColmapWriter& writer, Descriptor& descriptor,
                                    const ColmapExportOptions& options);

// Keeps the keypoints of every image in the database and describes them anew. Commits at the end.
ColmapExportReport redescribe_for_colmap(const std::filesystem::path& folder, ColmapWriter& writer,
                                         Descriptor& descriptor, const ColmapExportOptions& options);

}  // namespace adasample
