// SPDX-License-Identifier: Apache-2.0
#include "adasample/cli/use/match_photographs.h"

#include "adasample/base/error.h"
#include "adasample/base/files/appear_together.h"
#include "adasample/base/files/file_io.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/log.h"
#include "adasample/base/stopwatch.h"
#include "adasample/cli/model_argument.h"
#include "adasample/cli/photograph_arguments.h"
#include "adasample/cli/result_file.h"
#include "adasample/cli/use/match_output.h"
#include "adasample/features/opencv_part.h"

namespace adasample {
namespace {

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

// The list and the drawing, where they are asked for: both appear or neither.
void write_output(const MatchArguments& a, const std::string& matches, const std::string& drawing) {
  if (a.out.empty() && !a.list.empty()) write_file_atomically(a.list, matches);
  if (!a.out.empty() && a.list.empty()) write_file_atomically(a.out, drawing);
  if (a.out.empty() || a.list.empty()) return;
  StagedFile list(a.list);
  list.writer().write(matches);
  AppearTogether(a.out, a.list)
      .commit(
          list.work(), [&] { list.commit(); }, [&] { write_file_atomically(a.out, drawing); });
}

}  // namespace

void MatchArguments::validate() const {
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
  ADA_CHECK(out.empty() || can_draw_matches(),
            "[match] this program was built without OpenCV, which draws - leave out --out");
  if (!out.empty()) require_new_file(out);
  if (!list.empty()) require_new_file(list, "--matches");
}

bool MatchArguments::settle_geometry() {
  geometry.kind = geometry_from_name(geometry_name);
  if (geometry_given || can_estimate_geometry()) return false;
  geometry.kind = Geometry::kNone;
  geometry_name = name_of(geometry.kind);
  return true;
}

int match_photographs(const Context& context, MatchArguments a) {
  if (!a.out.empty() && !a.list.empty()) AppearTogether(a.out, a.list);  // takes away what a killed one left
  const bool unchecked = a.settle_geometry();
  a.validate();
  prepare_pictures(a.pictures);
  if (a.geometry.kind != Geometry::kNone || !a.out.empty()) prepare_opencv();
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
  write_output(a, matches_csv(first, second, models.front().matches), drawing);
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
  if (unchecked) log_warning("built without OpenCV: matches are not checked by geometry");
  context.show(object, match_text(first, second, models, a.geometry.kind));
  return 0;
}

}  // namespace adasample
