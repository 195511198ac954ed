// SPDX-License-Identifier: Apache-2.0
// Photographs into COLMAP's database: keypoints, ours or COLMAP's own, and descriptors for its matchers.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "adasample/features/describe/picture_file.h"
#include "adasample/integrate/colmap/colmap_encoding.h"
#include "adasample/integrate/colmap/colmap_writer.h"

namespace adasample {

struct ColmapExportOptions {
  // Always as stored; redescribe looks at neither detector nor max_keypoints. COLMAP's limit is 8192, but it keeps
  // whole levels of scale, which makes 10,400 of a textured picture on average.
  PictureOptions pictures = {
      .features = {.detector = "sift", .max_keypoints = 10500}, .max_side = 3200, .as_stored = true};
  std::string camera_model = "SIMPLE_RADIAL";
  bool single_camera = false;  // one camera for all photographs; else one for each lens that EXIF names, or each file
  ColmapEncoding encoding = ColmapEncoding::kSigned;
  double sigma = 0;            // redescribe: scale of keypoints that have none, pixels; 0 refuses them
  bool clear_matches = false;  // redescribe: drop matches, which belong to the old descriptors; else they are refused
  // Descriptors of a network are no SIFT, which newer tables can say. COLMAP's own matchers then refuse them.
  bool say_not_sift = false;

  void validate() const;
};

struct ColmapExportReport {
  int64_t images = 0, keypoints = 0, cameras = 0, cleared_matches = 0;
  std::vector<std::string> empty;  // images without keypoints
  double seconds_describing = 0;
  std::vector<std::string> complaints = {};  // of photographs that cannot be read: add_to_colmap() goes on without them
  std::vector<std::string> changed = {};  // photographs that add_to_colmap() found changed or gone since, a line each
};

// Adds the photographs below `folder`, named by their paths there, with cameras as COLMAP's feature_extractor makes
// them. Images that the database holds without features keep their cameras; one with features is refused. Pixels are
// taken as stored, whatever EXIF says of their orientation, as COLMAP does. Commits at the end;
// where no image has a keypoint it throws Error instead.
ColmapExportReport export_to_colmap(const std::filesystem::path& folder, ColmapWriter& writer, Descriptor& descriptor,
                                    const ColmapExportOptions& options);

// The same for those photographs alone that the database at `path` has no features of; it is made if it is not there. A
// few hundred are saved at a time, so that what was described survives a kill, and the rows are the same as without
// one.
ColmapExportReport add_to_colmap(const std::filesystem::path& folder, const std::filesystem::path& path,
                                 Descriptor& descriptor, const ColmapExportOptions& options);

// Keeps the keypoints of every image in the database and describes them anew, upright if asked for. Commits at the
// end; where no image has a keypoint it throws Error instead.
ColmapExportReport redescribe_for_colmap(const std::filesystem::path& folder, ColmapWriter& writer,
                                         Descriptor& descriptor, const ColmapExportOptions& options);

}  // namespace adasample
