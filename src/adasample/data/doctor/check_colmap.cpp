// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/doctor/doctor.h"

#include <algorithm>
#include <string_view>

#include "adasample/base/files/inside_folder.h"
#include "adasample/base/files/mapped_file.h"
#include "adasample/data/colmap/colmap_model.h"

namespace adasample {
namespace fs = std::filesystem;

namespace {

constexpr std::string_view kSqliteMagic{"SQLite format 3\0", 16};

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
    if (is_inner_name(image.name) && fs::exists(*images / image.name, error)) continue;
    if (missing++ == 0) first = image.name;
  }
  if (missing > 0) {
    diagnosis.problems.push_back(
        {images->string(),
         fmt::format("expected {} photographs, {} are missing, the first is {}", model.images.size(), missing, first),
         "bring them back, or name another folder: data colmap --images DIR"});
  }
}

// The database is only recognised: reading it takes SQLite, which this module does without.
void look_at_database(const fs::path& folder, Diagnosis& diagnosis) {
  const auto database = find_near_model(folder, "database.db");
  if (!database) {
    diagnosis.remarks.push_back({folder.string(), "no database.db near the model, and the model has no scales",
                                 "name it: data colmap --database FILE"});
    return;
  }
  const char* mend = "copy it again from where COLMAP wrote it, or name another: data colmap --database FILE";
  const auto begins_well = attempt(diagnosis.problems, *database, mend, [&] {
    const MappedFile file(*database);
    return file.bytes().size() >= kSqliteMagic.size() &&
           std::equal(kSqliteMagic.begin(), kSqliteMagic.end(), file.bytes().begin());
  });
  if (begins_well == false) {
    diagnosis.problems.push_back(
        {database->string(), "expected a database of SQLite, found a file that does not begin as one", mend});
  }
}

}  // namespace

bool looks_like_colmap(const fs::path& path) { return holds_colmap_model(path); }

Diagnosis check_colmap(const fs::path& folder) {
  Diagnosis diagnosis;
  diagnosis.kind = "COLMAP model";
  const auto model = attempt(diagnosis.problems, folder, "write the model again with COLMAP's model_converter",
                             [&] { return read_colmap_model(folder); });
  if (model) {
    take_inventory(*model, folder, diagnosis);
    look_for_photographs(*model, folder, diagnosis);
  }
  look_at_database(folder, diagnosis);
  return diagnosis;
}

}  // namespace adasample
