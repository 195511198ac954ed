// SPDX-License-Identifier: Apache-2.0
#include "adasample/cli/use/reconstruction_summary.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "adasample/image/files/images.h"
#include "adasample/integrate/colmap/colmap_match_database.h"

namespace adasample {
namespace {

// Along +z of a camera, in the world: the third row of the rotation that q = (w, x, y, z) stands for.
std::array<double, 3> forward_of(const std::array<double, 4>& q) {
  const auto& [w, x, y, z] = q;
  return {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)};
}

std::string reason(const ReconstructedPicture& picture, bool in_database, bool in_other_model) {
  if (!in_database) return "not in the database: it could not be read";
  if (picture.keypoints == 0) return "no keypoints";
  if (in_other_model) return "in another model: too little overlap with this one";
  if (picture.partners == 0) return "no verified match with any other picture";
  return "COLMAP did not register it: too few of its matches see points of the model";
}

}  // namespace

ReconstructionPage summarise_reconstruction(const std::string& images, const std::filesystem::path& database,
                                            const std::vector<ColmapModel>& models,
                                            const std::vector<std::string>& commands) {
  const ColmapModel& model = models.front();
  ReconstructionPage page{.title = "Reconstruction of " + std::filesystem::path(images).filename().string(),
                          .pictures = {},
                          .inliers = {},
                          .positions = {},
                          .observations = model.observation_count(),
                          .error = 0,
                          .other_models = {},
                          .commands = commands};
  std::map<std::string, const ColmapImage*> registered;
  for (const ColmapImage& image : model.images) registered[image.name] = &image;
  std::set<std::string> elsewhere;
  for (size_t i = 1; i < models.size(); ++i) {
    for (const ColmapImage& image : models[i].images) elsewhere.insert(image.name);
    page.other_models.push_back(
        fmt::format("{} pictures, {} points", models[i].images.size(), models[i].points.size()));
  }
  std::set<std::string> names;
  for (const std::string& name : picture_names(images)) names.insert(name);
  const auto opened = open_colmap_match_database(database);
  std::map<std::string, ColmapPicture> known;
  for (const ColmapPicture& picture : opened->pictures()) {
    names.insert(picture.name);
    known[picture.name] = picture;
  }
  std::map<int64_t, size_t> places;  // by id
  std::set<std::string> in_database;
  for (const std::string& name : names) {
    ReconstructedPicture picture;
    picture.name = name;
    if (const auto found = known.find(name); found != known.end()) {
      picture.keypoints = found->second.keypoints;
      places[found->second.id] = page.pictures.size();
      in_database.insert(name);
    }
    if (const auto found = registered.find(name); found != registered.end()) {
      picture.registered = true;
      picture.centre = found->second->centre();
      picture.forward = forward_of(found->second->rotation);
      for (const ColmapPoint2D& point : found->second->points) picture.points += point.point != kNoPoint3D ? 1 : 0;
    }
    page.pictures.push_back(std::move(picture));
  }
  page.inliers.resize(page.pictures.size() * page.pictures.size());
  for (const VerifiedPair& pair : opened->verified()) {
    const auto first = places.find(pair.first), second = places.find(pair.second);
    if (first == places.end() || second == places.end()) continue;
    for (const auto& [i, j] : {std::pair(first->second, second->second), {second->second, first->second}}) {
      page.inliers[i * page.pictures.size() + j] = pair.inliers;
      ++page.pictures[i].partners;
      page.pictures[i].inliers += pair.inliers;
    }
  }
  for (ReconstructedPicture& picture : page.pictures) {
    if (!picture.registered) {
      picture.why = reason(picture, in_database.contains(picture.name), elsewhere.contains(picture.name));
    }
  }
  double errors = 0;
  for (const ColmapPoint& point : model.points) {
    page.positions.push_back(point.position);
    errors += point.error;
  }
  page.error = model.points.empty() ? 0 : errors / static_cast<double>(model.points.size());
  return page;
}

void show_reconstruction(const Context& context, const ReconstructionPage& page, const std::filesystem::path& file,
                         double seconds) {
  int64_t registered = 0;
  nlohmann::ordered_json left_out = nlohmann::ordered_json::array();
  for (const ReconstructedPicture& picture : page.pictures) {
    registered += picture.registered ? 1 : 0;
    if (!picture.registered) left_out.push_back({{"picture", picture.name}, {"why", picture.why}});
  }
  const auto points = static_cast<double>(page.positions.size());
  const double track = points > 0 ? static_cast<double>(page.observations) / points : 0;
  context.show(
      {{"pictures", page.pictures.size()},
       {"registered", registered},
       {"points", page.positions.size()},
       {"mean_track", track},
       {"mean_error", page.error},
       {"left_out", left_out},
       {"report", file.string()},
       {"seconds", seconds}},
      fmt::format("{} of {} pictures registered, {} points, mean track {:.2f}, mean error {:.3f} pixels, {:.0f} s\n{}",
                  registered, page.pictures.size(), page.positions.size(), track, page.error, seconds, file.string()));
}

}  // namespace adasample
