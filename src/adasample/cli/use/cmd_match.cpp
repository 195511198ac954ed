// SPDX-License-Identifier: Apache-2.0
// adasample match: two photographs in, matching places out.
#include <fmt/format.h>

#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/log.h"
#include "adasample/base/stopwatch.h"
#include "adasample/cli/context.h"
#include "adasample/cli/model_argument.h"
#include "adasample/cli/photograph_arguments.h"
#include "adasample/cli/result_file.h"
#include "adasample/cli/use/match_output.h"
#include "adasample/features/match/match_geometry.h"
#include "adasample/features/opencv_part.h"

namespace adasample {
namespace {

struct MatchArguments {
  std::string first, second, geometry_name = geometry_names().front(), out, list;
  bool geometry_given = false;
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
    ADA_USAGE(geometry.kind == Geometry::kNone || can_estimate_geometry(),
              "--geometry {}: this program was built without OpenCV, which estimates it - give --geometry none",
              geometry_name);
    if (!out.empty()) require_new_file(out);
    if (!list.empty()) require_new_file(list, "--matches");
  }

  // Where nothing can estimate a geometry and none was asked for, matches are not checked.
  void settle_geometry() {
    geometry.kind = geometry_from_name(geometry_name);
    if (geometry_given || can_estimate_geometry()) return;
    log_warning("built without OpenCV: matches are not checked by geometry");
    geometry.kind = Geometry::kNone;
    geometry_name = name_of(geometry.kind);
  }
};

void stop_if_asked() {
  if (stop_requested()) ADA_THROW_KIND(kInterrupted, "[match] interrupted; nothing was written");
}

SeenPicture see_picture(const std::string& file, const PictureOptions& options) {
  PictureFile picture(file, options);
  std::vector<Keypoint> keypoints = picture.detect();
  ADA_CHECK(!keypoints.empty(), "[match] {}: expected keypoints, found none by --detector {} - a picture of nothing?",
            file, options.features.detector);
  stop_if_asked();
  return {file, std::move(picture), std::move(keypoints)};
}

MatchedModel match_by(OpenedModel opened, const SeenPicture& first, const SeenPicture& second,
                      const MatchArguments& a) {
  Progress progress("describing", "patches", std::ssize(first.keypoints) + std::ssize(second.keypoints));
  const Stopwatch describing;  // with the cutting
  double in_descriptor = 0;
  const auto described = [&](const SeenPicture& picture) {
    return picture.file.described(picture.keypoints, *opened.descriptor, progress, in_descriptor);
  };
  const DescribedPicture one = described(first), other = described(second);
  const double seconds = describing.seconds();
  PictureMatches matches = match_pictures(one, other, a.limits, a.geometry);
  stop_if_asked();
  return {std::move(opened), std::move(matches), seconds};
}

int match(const Context& context, MatchArguments a) {
  a.settle_geometry();
  a.validate();
  prepare_pictures(a.pictures);
  if (a.geometry.kind != Geometry::kNone || !a.out.empty()) prepare_opencv();
  catch_interrupts();
  const Stopwatch detecting;
  const SeenPicture first = see_picture(a.first, a.pictures), second = see_picture(a.second, a.pictures);
  const double seconds_detecting = detecting.seconds();
  std::vector<MatchedModel> models;
  for (const std::string& name : a.models) models.push_back(match_by(open_model(name, context), first, second, a));
  std::string drawing;  // before anything is written: without OpenCV there is none
  if (!a.out.empty()) {
    std::vector<MatchBand> bands;
    for (const MatchedModel& model : models) bands.push_back(band_of(first, second, model, a.geometry.kind));
    drawing = draw_matches(first.file.image(), second.file.image(), bands, a.drawing);
  }
  if (!a.list.empty()) write_file_atomically(a.list, matches_csv(first, second, models.front().matches));
  if (!a.out.empty()) write_file_atomically(a.out, drawing);
  nlohmann::ordered_json object = {{"first", first.json()},
                                   {"second", second.json()},
                                   {"detector", a.pictures.features.detector},
                                   {"geometry", a.geometry_name},
                                   {"threshold", a.geometry.threshold},
                                   {"ratio", a.limits.ratio},
                                   {"max_distance", a.limits.max_distance},  // null: none
                                   {"seconds_detecting", seconds_detecting},
                                   {"models", nlohmann::ordered_json::array()}};
  for (const MatchedModel& model : models) object["models"].push_back(model.json());
  if (!a.out.empty()) object["out"] = a.out;
  if (!a.list.empty()) object["list"] = a.list;
  context.show(object, match_text(first, second, models, a.geometry.kind));
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
  const CLI::Option* geometry =
      command
          ->add_option(
              "--geometry", a->geometry_name,
              "What matches must agree on: fundamental (any two views of a rigid scene), homography (a plane, or "
              "the camera only turns), none")
          ->check(CLI::IsMember(geometry_names()))
          ->capture_default_str();
  command->add_option("--threshold", a->geometry.threshold, "How far a match may be off, pixels")
      ->capture_default_str();
  command->add_option("--draw", a->drawing.most_lines, "Inliers to draw, at most; all are counted")
      ->capture_default_str();
  command->add_option("--width", a->drawing.width, "Of the drawing, at most, pixels")->capture_default_str();
  command->callback([&context, a, geometry] {
    a->geometry_given = geometry->count() > 0;
    context.action = [&context, a] { return match(context, *a); };
  });
}

}  // namespace adasample
