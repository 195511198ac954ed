// SPDX-License-Identifier: Apache-2.0
// adasample match: two photographs in, matching places out.
#include <fmt/format.h>

#include <iterator>

#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/stopwatch.h"
#include "adasample/cli/context.h"
#include "adasample/cli/model_argument.h"
#include "adasample/cli/photograph_arguments.h"
#include "adasample/cli/result_file.h"
#include "adasample/features/describe/sift_descriptor.h"
#include "adasample/features/match/match_drawing.h"
#include "adasample/features/match/match_pictures.h"

namespace adasample {
namespace {

struct MatchArguments {
  std::string first, second, geometry_name = geometry_names().front(), out, list;
  std::vector<std::string> models = {"default"};
  PictureOptions pictures;
  MatchLimits limits;
  GeometryOptions geometry;
  DrawingOptions drawing;

  void validate() const {
    pictures.validate();
    limits.validate();
    geometry.validate();
    drawing.validate();
    ADA_USAGE(out.empty() || out.ends_with(".png"), "--out {}: must end in .png", out);
    ADA_USAGE(list.empty() || list.ends_with(".csv"), "--matches {}: must end in .csv", list);
    ADA_USAGE(list.empty() || models.size() == 1, "--matches {}: holds the matches of one --model, found {}", list,
              models.size());
    ADA_USAGE(geometry.kind == Geometry::kNone || have_opencv(),
              "--geometry {}: this program was built without OpenCV, which estimates it - give --geometry none",
              geometry_name);
    if (!out.empty()) require_new_file(out);
    if (!list.empty()) require_new_file(list, "--matches");
  }
};

struct MatchedModel {
  OpenedModel opened;
  PictureMatches matches;

  double inlier_share() const {
    return matches.kept.empty() ? 0 : static_cast<double>(matches.inliers()) / static_cast<double>(matches.kept.size());
  }
};

void stop_if_asked() {
  if (stop_requested()) ADA_THROW_KIND(kInterrupted, "[match] interrupted; nothing was written");
}

DetectedPicture detect_in(const std::string& file, const PictureOptions& options, const Context& context) {
  const auto quiet = silence_codecs(context);
  PictureFile picture(file, options);
  std::vector<Keypoint> keypoints = picture.detect();
  ADA_CHECK(!keypoints.empty(), "[match] {}: expected keypoints, found none by --detector {} - a picture of nothing?",
            file, options.features.detector);
  stop_if_asked();
  return {std::move(picture), std::move(keypoints)};
}

Point2 place_of(const Keypoint& k) { return {k.x, k.y}; }

// In pixels of the files.
DrawnMatch place_match(const DetectedPicture& first, const DetectedPicture& second, const PictureMatches& matches,
                       size_t i) {
  const Match& match = matches.kept[i].match;
  return {place_of(first.keypoints[static_cast<size_t>(match.first)]),
          place_of(second.keypoints[static_cast<size_t>(match.second)]),
          matches.geometry && matches.geometry->inliers[i]};
}

std::string matches_csv(const DetectedPicture& first, const DetectedPicture& second, const PictureMatches& matches) {
  std::string text = "x1,y1,x2,y2,distance,inlier\n";
  for (size_t i = 0; i < matches.kept.size(); ++i) {
    const DrawnMatch m = place_match(first, second, matches, i);
    fmt::format_to(std::back_inserter(text), "{:.3f},{:.3f},{:.3f},{:.3f},{:.6f},{:d}\n", m.first.x, m.first.y,
                   m.second.x, m.second.y, matches.kept[i].distance, m.inlier);
  }
  return text;
}

// Where nothing tells them apart, all matches are drawn as inliers.
MatchBand band_of(const DetectedPicture& first, const DetectedPicture& second, const MatchedModel& model,
                  Geometry geometry) {
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

nlohmann::ordered_json picture_json(const std::string& file, const DetectedPicture& picture) {
  return {{"file", file},
          {"width", picture.file.width()},
          {"height", picture.file.height()},
          {"keypoints", picture.keypoints.size()}};
}

nlohmann::ordered_json model_json(const MatchedModel& model) {
  const PictureMatches& m = model.matches;
  nlohmann::ordered_json object = model.opened.record();
  object["mutual"] = m.mutual;
  object["matches"] = m.kept.size();
  object["inliers"] = m.geometry ? nlohmann::ordered_json(m.inliers()) : nullptr;
  object["inlier_share"] = m.geometry ? nlohmann::ordered_json(model.inlier_share()) : nullptr;
  object["matrix"] = m.geometry ? nlohmann::ordered_json(m.geometry->matrix) : nullptr;
  object["seconds"] = {
      {"describing", m.seconds_describing}, {"matching", m.seconds_matching}, {"geometry", m.seconds_geometry}};
  return object;
}

std::string picture_line(const nlohmann::ordered_json& picture) {
  return fmt::format("{}: {} x {} pixels, {} keypoints\n", picture["file"].get<std::string>(),
                     picture["width"].get<int>(), picture["height"].get<int>(), picture["keypoints"].get<int64_t>());
}

std::string match_table(const MatchArguments& a, const std::vector<MatchedModel>& models) {
  std::string text = fmt::format("{:<24} {:>8} {:>8} {:>8} {:>8}   describing, matching, geometry s", "model", "mutual",
                                 "matches", "inliers", "share %");
  for (const MatchedModel& model : models) {
    const PictureMatches& m = model.matches;
    const bool found = m.geometry.has_value();
    text += fmt::format("\n{:<24} {:>8} {:>8} {:>8} {:>8}   {:.2f}, {:.2f}, {:.2f}", model.opened.model, m.mutual,
                        m.kept.size(), found ? fmt::to_string(m.inliers()) : "-",
                        found ? fmt::format("{:.1f}", 100 * model.inlier_share()) : "-", m.seconds_describing,
                        m.seconds_matching, m.seconds_geometry);
  }
  for (const MatchedModel& model : models) {
    if (model.matches.geometry || a.geometry.kind == Geometry::kNone) continue;
    const int fewest = fewest_matches(a.geometry.kind);
    const bool few = std::ssize(model.matches.kept) < fewest;
    text += fmt::format("\n{}: no {} - {}", model.opened.model, a.geometry_name,
                        few ? fmt::format("it takes {} matches, found {}", fewest, model.matches.kept.size())
                            : "nothing fits the matches");
  }
  return text;
}

int match(const Context& context, const MatchArguments& a) {
  a.validate();
  catch_interrupts();
  const Stopwatch detecting;
  const DetectedPicture first = detect_in(a.first, a.pictures, context),
                        second = detect_in(a.second, a.pictures, context);
  const double seconds_detecting = detecting.seconds();
  std::vector<MatchedModel> models;
  for (const std::string& name : a.models) {
    OpenedModel opened = open_model(name, context);
    PictureMatches matches = match_pictures(first, second, *opened.descriptor, a.limits, a.geometry);
    models.push_back({std::move(opened), std::move(matches)});
    stop_if_asked();
  }
  std::string drawing;  // before anything is written: without OpenCV there is none
  if (!a.out.empty()) {
    std::vector<MatchBand> bands;
    for (const MatchedModel& model : models) bands.push_back(band_of(first, second, model, a.geometry.kind));
    drawing = draw_matches(first.file.image(), second.file.image(), bands, a.drawing);
  }
  if (!a.list.empty()) write_file_atomically(a.list, matches_csv(first, second, models.front().matches));
  if (!a.out.empty()) write_file_atomically(a.out, drawing);
  nlohmann::ordered_json object = {
      {"first", picture_json(a.first, first)},    {"second", picture_json(a.second, second)},
      {"detector", a.pictures.features.detector}, {"geometry", a.geometry_name},
      {"threshold", a.geometry.threshold},        {"ratio", a.limits.ratio},
      {"max_distance", a.limits.max_distance},  // null: none
      {"seconds_detecting", seconds_detecting},   {"models", nlohmann::ordered_json::array()}};
  for (const MatchedModel& model : models) object["models"].push_back(model_json(model));
  if (!a.out.empty()) object["out"] = a.out;
  if (!a.list.empty()) object["list"] = a.list;
  context.show(object, picture_line(object["first"]) + picture_line(object["second"]) + match_table(a, models));
  return 0;
}

}  // namespace

void add_match_command(CLI::App& app, Context& context) {
  CLI::App* command =
      add_command(app, "match", "Matching places of two photographs, checked by geometry, drawn",
                  "  adasample match a.jpg b.jpg --out matches.png\n"
                  "  adasample match a.jpg b.jpg --model default --model sift --model rootsift --out three.png\n"
                  "  adasample match a.jpg b.jpg --model runs/a --geometry homography --ratio 0.9 --matches m.csv\n");
  auto a = std::make_shared<MatchArguments>();
  command->add_option("first", a->first, "A photograph")->required()->type_name("A");
  command->add_option("second", a->second, "Another one")->required()->type_name("B");
  add_model_option(*command, a->models)->required(false)->capture_default_str();
  command->add_option("--out", a->out, "New picture: both photographs side by side, lines between matches")
      ->type_name("FILE.png");
  command->add_option("--matches", a->list, "New list: x1,y1,x2,y2,distance,inlier")->type_name("FILE.csv");
  add_picture_options(*command, a->pictures);
  command->add_option("--ratio", a->limits.ratio, "Largest distance over that of the next best, in both directions")
      ->capture_default_str();
  command->add_option("--max-distance", a->limits.max_distance, "Largest distance of two descriptors, 0 to 2");
  command
      ->add_option("--geometry", a->geometry_name,
                   "What matches must agree on: fundamental (any two views of a rigid scene), homography (a plane, or "
                   "the camera only turns), none")
      ->check(CLI::IsMember(geometry_names()))
      ->capture_default_str();
  command->add_option("--threshold", a->geometry.threshold, "How far a match may be off, pixels")
      ->capture_default_str();
  command->add_option("--draw", a->drawing.most_lines, "Inliers to draw, at most; all are counted")
      ->capture_default_str();
  command->add_option("--width", a->drawing.width, "Of the drawing, at most, pixels")->capture_default_str();
  command->callback([&context, a] {
    context.action = [&context, a] {
      a->geometry.kind = geometry_from_name(a->geometry_name);
      return match(context, *a);
    };
  });
}

}  // namespace adasample
