// SPDX-License-Identifier: Apache-2.0
#include "adasample/cli/use/match_output.h"

#include <fmt/format.h>

#include <iterator>

#include "adasample/cli/model_argument.h"
#include "adasample/features/match/match_geometry.h"

namespace adasample {
namespace {

Point2 place_of(const Keypoint& k) { return {k.x, k.y}; }

// In pixels of the files.
DrawnMatch place_match(const SeenPicture& first, const SeenPicture& second, const PictureMatches& matches, size_t i) {
  const Match& match = matches.kept[i].match;
  return {place_of(first.keypoints[static_cast<size_t>(match.first)]),
          place_of(second.keypoints[static_cast<size_t>(match.second)]),
          matches.geometry && matches.geometry->inliers[i]};
}

std::string picture_line(const SeenPicture& picture) {
  return fmt::format("{}: {} x {} pixels, {} keypoints\n", picture.name, picture.file.width(), picture.file.height(),
                     picture.keypoints.size());
}

}  // namespace

nlohmann::ordered_json SeenPicture::json() const {
  return {{"file", name}, {"width", file.width()}, {"height", file.height()}, {"keypoints", keypoints.size()}};
}

double MatchedModel::inlier_share() const {
  return matches.kept.empty() ? 0 : static_cast<double>(matches.inliers()) / static_cast<double>(matches.kept.size());
}

nlohmann::ordered_json MatchedModel::json() const {
  const bool found = matches.geometry.has_value();
  nlohmann::ordered_json object = model_record(opened);
  object["mutual"] = matches.mutual;
  object["matches"] = matches.kept.size();
  object["inliers"] = found ? nlohmann::ordered_json(matches.inliers()) : nullptr;
  object["inlier_share"] = found ? nlohmann::ordered_json(inlier_share()) : nullptr;
  object["matrix"] = found ? nlohmann::ordered_json(matches.geometry->matrix) : nullptr;
  object["seconds"] = {{"describing", seconds_describing},
                       {"matching", matches.seconds_matching},
                       {"geometry", matches.seconds_geometry}};
  return object;
}

std::string matches_csv(const SeenPicture& first, const SeenPicture& second, const PictureMatches& matches) {
  std::string text = "x1,y1,x2,y2,distance,inlier,keypoint1,keypoint2\n";
  for (size_t i = 0; i < matches.kept.size(); ++i) {
    const DrawnMatch m = place_match(first, second, matches, i);
    fmt::format_to(std::back_inserter(text), "{:.3f},{:.3f},{:.3f},{:.3f},{:.6f},{:d},{},{}\n", m.first.x, m.first.y,
                   m.second.x, m.second.y, matches.kept[i].distance, m.inlier, matches.kept[i].match.first,
                   matches.kept[i].match.second);
  }
  return text;
}

MatchBand band_of(const SeenPicture& first, const SeenPicture& second, const MatchedModel& model, Geometry geometry) {
  const PictureMatches& matches = model.matches;
  const bool untold = geometry == Geometry::kNone;
  MatchBand band{.title = model.opened.model,
                 .caption = untold ? "" : fmt::format("{} inliers of ", matches.inliers()),
                 .matches = {}};
  band.caption += fmt::format("{} matches", matches.kept.size());
  for (size_t i = 0; i < matches.kept.size(); ++i) {
    DrawnMatch match = place_match(first, second, matches, i);
    for (double* c : {&match.first.x, &match.first.y}) *c /= first.file.reduction();
    for (double* c : {&match.second.x, &match.second.y}) *c /= second.file.reduction();
    match.inlier = match.inlier || untold;
    band.matches.push_back(match);
  }
  return band;
}

std::string match_text(const SeenPicture& first, const SeenPicture& second, const std::vector<MatchedModel>& models,
                       Geometry geometry) {
  std::string text = picture_line(first) + picture_line(second);
  text += fmt::format("{:<24} {:>8} {:>8} {:>8} {:>8}   describing, matching, geometry s", "model", "mutual", "matches",
                      "inliers", "share %");
  for (const MatchedModel& model : models) {
    const PictureMatches& m = model.matches;
    const bool found = m.geometry.has_value();
    text += fmt::format("\n{:<24} {:>8} {:>8} {:>8} {:>8}   {:.2f}, {:.2f}, {:.2f}", model.opened.model, m.mutual,
                        m.kept.size(), found ? fmt::to_string(m.inliers()) : "-",
                        found ? fmt::format("{:.1f}", 100 * model.inlier_share()) : "-", model.seconds_describing,
                        m.seconds_matching, m.seconds_geometry);
  }
  for (const MatchedModel& model : models) {
    if (model.matches.geometry || geometry == Geometry::kNone) continue;
    const int fewest = fewest_matches(geometry);
    const bool few = std::ssize(model.matches.kept) < fewest;
    text += fmt::format("\n{}: no {} - {}", model.opened.model, name_of(geometry),
                        few ? fmt::format("it takes {} matches, found {}", fewest, model.matches.kept.size())
                            : "nothing fits the matches");
  }
  return text;
}

}  // namespace adasample
