// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/check_colmap.h"

#include <algorithm>

#include "adasample/base/error.h"
#include "adasample/data/colmap_model.h"

namespace adasample {
namespace fs = std::filesystem;

namespace {

bool has_point(const ColmapModel& model, uint64_t id) {
  return std::ranges::binary_search(model.points, id, {}, &ColmapPoint::id);
}

void take_inventory(const ColmapModel& model, const fs::path& folder, Diagnosis& diagnosis) {
  int64_t keypoints = 0, dangling = 0;
  for (const ColmapImage& image : model.images) {
    keypoints += std::ssize(image.points);
    dangling += std::count_if(image.points.begin(), image.points.end(), [&](const ColmapPoint2D& p) {
      return p.point != kNoPoint3D && !has_point(model, p.point);
    });
  }
  diagnosis.inventory = {{"cameras", std::ssize(model.cameras)},
                         {"images", std::ssize(model.images)},
                         {"keypoints", keypoints},
                         {"points", std::ssize(model.points)},
                         {"observations", model.observation_count()}};
  if (model.observation_count() == 0) {
    diagnosis.problems.push_back({folder.string(), "expected points with tracks, found no observation of any",
                                  "take the model the mapper wrote; poses alone make no classes"});
  }
  if (dangling > 0) {
    diagnosis.remarks.push_back({folder.string(),
                                 fmt::format("{} keypoints see points that points3D does not have", dangling),
                                 "nothing, they are not used; expected where points have been taken out"});
  }
}

void look_for_photographs(const ColmapModel& model, const fs::path& folder, Diagnosis& diagnosis) {
  const auto images = find_near_model(folder, "images");
  if (!images || !fs::is_directory(*images)) {
    diagnosis.remarks.push_back({folder.string(), "no folder `images` near the model: photographs were not looked for",
                                 "name their folder: data colmap --images DIR"});
    return;
  }
  int64_t missing = 0;
  std::string first;
  for (const ColmapImage& image : model.images) {
    std::error_code error;
    if (fs::exists(*images / image.name, error)) continue;
    if (missing++ == 0) first = image.name;
  }
  if (missing > 0) {
    diagnosis.problems.push_back(
        {images->string(),
         fmt::format("expected {} photographs, {} are missing, the first is {}", model.images.size(), missing, first),
         "bring them back, or name another folder: data colmap --images DIR"});
  }
}

}  // namespace

bool looks_like_colmap(const fs::path& path) { return holds_colmap_model(path); }

Diagnosis check_colmap(const fs::path& folder) {
  Diagnosis diagnosis;
  diagnosis.kind = "COLMAP model";
  try {
    const ColmapModel model = read_colmap_model(folder);
    take_inventory(model, folder, diagnosis);
    look_for_photographs(model, folder, diagnosis);
  } catch (const Error& error) {  // what a doctor is for: the complaint is the finding
    diagnosis.problems.push_back(
        {folder.string(), error.what(), "write the model again with COLMAP's model_converter"});
    return diagnosis;
  }
  if (!find_near_model(folder, "database.db")) {
    diagnosis.remarks.push_back({folder.string(), "no database.db near the model, and the model has no scales",
                                 "name it: data colmap --database FILE"});
  }
  return diagnosis;
}

}  // namespace adasample
