// SPDX-License-Identifier: Apache-2.0
#include "adasample/cli/use/match_folder.h"

#include <fmt/format.h>

#include "adasample/base/error.h"
#include "adasample/base/log.h"
#include "adasample/cli/model_argument.h"
#include "adasample/cli/photograph_arguments.h"
#include "adasample/cli/result_file.h"
#include "adasample/features/match/product_search.h"
#include "adasample/features/opencv_part.h"
#include "adasample/image/files/images.h"

namespace adasample {
namespace {

nlohmann::ordered_json json_of(const DatabaseMatching& matching) {
  const MatchPairsReport& r = matching.report;
  return {{"pictures", matching.pictures},
          {"pairs", matching.asked},
          {"pairs_there_before", matching.kept},
          {"pairs_matched", r.pairs},
          {"pairs_verified", r.verified},
          {"matches", r.matches},
          {"inliers", r.inliers},
          {"seconds", r.seconds},
          {"thread_seconds_matching", r.seconds_matching},
          {"thread_seconds_verifying", r.seconds_verifying}};
}

std::string text_of(const std::string& file, const DatabaseMatching& matching) {
  const MatchPairsReport& r = matching.report;
  return fmt::format("{}: {} pictures, {} pairs{}; {} verified with {} inliers of {} matches, {:.1f} s", file,
                     matching.pictures, matching.asked,
                     matching.kept > 0 ? fmt::format(", {} there before", matching.kept) : "", r.verified, r.inliers,
                     r.matches, r.seconds);
}

}  // namespace

void MatchFolderArguments::validate() const {
  choice.validate();
  options.validate();
  pictures.validate();
  if (!features.empty()) {
    ADA_USAGE(database.empty() && images.empty() && !again,
              "--features {}: goes alone, without --database, --images and --again", features);
    ADA_USAGE(out.ends_with(".h5"), "--out {}: expected the name of a new .h5 file for the matches", out);
    require_new_file(out);
    return;
  }
  require_folder_of(database, "--database");
  ADA_CHECK(!images.empty() || std::filesystem::exists(database), "[match] {}: no such database", database);
  ADA_CHECK(images.empty() || std::filesystem::is_directory(images), "[match] {}: expected a folder of photographs",
            images);
}

void add_pair_options(CLI::App& command, PairChoice& choice) {
  command.add_option("--pairs", choice.file, "Match these pairs, the names of two pictures per line")
      ->type_name("FILE");
  command.add_option("--sequential", choice.sequential, "Match each picture with the next N by name")->type_name("N");
  command
      .add_option("--retrieve", choice.retrieve,
                  "Match each picture with the N that look most like it; default: all pairs, 20 for reconstruct above "
                  "100 pictures")
      ->type_name("N");
  command
      .add_option("--vocabulary", choice.vocabulary,
                  "Visual words for --retrieve: a file, default (beside the weights, else of the default ones) or own "
                  "(from these pictures)")
      ->capture_default_str();
}

void add_camera_options(CLI::App& command, ColmapExportOptions& options) {
  std::vector<std::string> cameras;
  for (const ColmapCameraModel& model : colmap_camera_models()) cameras.emplace_back(model.name);
  command.add_option("--camera-model", options.camera_model, "COLMAP's name of a camera model")
      ->check(CLI::IsMember(cameras))
      ->capture_default_str();
  command.add_flag("--single-camera", options.single_camera,
                   "One camera for all photographs; default: one per lens named by EXIF, else one per photograph");
}

ColmapExportReport describe_new(const Context& context, const std::string& images, const std::string& database,
                                const std::string& model, ColmapExportOptions options, PairChoice& choice) {
  prepare_pictures(options.pictures);
  const OpenedModel opened = open_model(model, context);
  if (opened.file.empty()) options.encoding = ColmapEncoding::kNonNegative;  // SIFT and RootSIFT
  options.say_not_sift = !opened.file.empty();
  if (choice.vocabulary == "default") {
    if (const auto fitting = vocabulary_beside(opened.file); !fitting.empty()) choice.vocabulary = fitting.string();
  }
  const ColmapExportReport report = add_to_colmap(images, database, *opened.descriptor, options);
  std::vector<std::string> warnings = report.changed;
  for (const std::string& complaint : report.complaints) warnings.push_back("left out: " + complaint);
  for (const std::string& name : report.empty) warnings.push_back(name + ": no keypoint found");
  log_first_warnings(warnings, "photographs");
  return report;
}

int match_folder(const Context& context, MatchFolderArguments a) {
  a.validate();
  const std::string& problem = problem_of_matching_on_gpu();
  ADA_CHECK(context.device != "cuda" || problem.empty(), "--device cuda: {} - use --device cpu", problem);
  if (!a.features.empty()) {
    const DatabaseMatching matching = match_hloc_features(a.features, a.out, a.choice, a.options);
    std::vector<std::string> warnings = matching.warnings;
    warnings.insert(warnings.end(), matching.report.complaints.begin(), matching.report.complaints.end());
    log_first_warnings(warnings, "complaints");
    nlohmann::ordered_json object = json_of(matching);
    object["out"] = a.out;
    context.show(object, text_of(a.out, matching));
    return 0;
  }
  prepare_opencv();
  ColmapExportReport described;
  if (!a.images.empty()) described = describe_new(context, a.images, a.database, a.model, a.pictures, a.choice);
  const DatabaseMatching matching = match_database(a.database, a.choice, a.options, a.again);
  std::vector<std::string> warnings = matching.warnings;
  warnings.insert(warnings.end(), matching.report.complaints.begin(), matching.report.complaints.end());
  log_first_warnings(warnings, "complaints");
  nlohmann::ordered_json object = json_of(matching);
  object["database"] = a.database;
  object["pictures_described"] = described.images;
  object["keypoints_described"] = described.keypoints;
  object["left_out"] = described.complaints;
  object["changed"] = described.changed;
  context.show(object, text_of(a.database, matching));
  return 0;
}

}  // namespace adasample
