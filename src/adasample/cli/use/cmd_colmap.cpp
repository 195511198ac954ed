// SPDX-License-Identifier: Apache-2.0
// adasample colmap: keypoints and descriptors into COLMAP's database.
#include <fmt/format.h>

#include <array>
#include <functional>

#include "adasample/base/error.h"
#include "adasample/base/log.h"
#include "adasample/base/stopwatch.h"
#include "adasample/cli/context.h"
#include "adasample/cli/model_argument.h"
#include "adasample/cli/photograph_arguments.h"
#include "adasample/cli/result_file.h"
#include "adasample/cli/use/match_folder.h"
#include "adasample/integrate/colmap/colmap_export.h"

namespace adasample {
namespace {

// What the database decides with --redescribe, and what it is for only then.
constexpr std::array kOnlyWhenNew = {"--detector", "--max-keypoints", "--camera-model", "--single-camera"};
constexpr std::array kOnlyRedescribed = {"--clear-matches", "--sigma"};

struct ColmapCommandArguments {
  std::string images, database, model = "default";
  bool redescribe = false;
  ColmapExportOptions options;
  std::function<bool(const std::string&)> given;  // whether an option is on the command line

  void validate() const {
    options.validate();
    for (const char* option : kOnlyRedescribed) {
      ADA_USAGE(redescribe || !given(option), "{} goes with --redescribe", option);
    }
    for (const char* option : kOnlyWhenNew) {
      ADA_USAGE(!redescribe || !given(option), "{}: not with --redescribe, which keeps the database's own", option);
    }
    require_folder_of(database, "--database");
    ADA_CHECK(std::filesystem::is_directory(images), "[colmap] {}: expected a folder of photographs", images);
    ADA_CHECK(!redescribe || std::filesystem::exists(database), "[colmap] {}: no such database to redescribe",
              database);
  }
};

int fill_database(const Context& context, ColmapCommandArguments a) {
  a.validate();
  if (!a.redescribe) prepare_pictures(a.options.pictures);
  const Stopwatch watch;
  const auto writer = open_colmap_writer(a.database);
  const OpenedModel opened = open_model(a.model, context);
  if (opened.file.empty()) a.options.encoding = ColmapEncoding::kNonNegative;  // SIFT and RootSIFT
  const ColmapExportReport report =
      (a.redescribe ? redescribe_for_colmap : export_to_colmap)(a.images, *writer, *opened.descriptor, a.options);
  const double seconds = watch.seconds();
  std::vector<std::string> warnings;
  for (const std::string& name : report.empty) warnings.push_back(name + ": no keypoint found");
  log_first_warnings(warnings, "photographs; --json names them all");
  nlohmann::ordered_json object = {{"database", a.database},
                                   {"images", report.images},
                                   {"keypoints", report.keypoints},
                                   {"without_keypoints", report.empty},
                                   {"cameras_added", report.cameras},
                                   {"matches_cleared", report.cleared_matches},
                                   {"detector", a.redescribe ? "database" : a.options.pictures.features.detector},
                                   {"seconds", seconds},
                                   {"seconds_describing", report.seconds_describing}};
  object.update(model_record(opened));
  context.show(object, fmt::format("{}: {} images, {} keypoints described by {} in {:.0f} s", a.database, report.images,
                                   report.keypoints, opened.engine, seconds));
  return 0;
}

}  // namespace

void add_colmap_command(CLI::App& app, Context& context) {
  CLI::App* command = add_command(app, "colmap", "Write keypoints and descriptors of photographs to a COLMAP database",
                                  "  adasample colmap --images photos --database photos.db; mkdir sparse\n"
                                  "  colmap exhaustive_matcher --database_path photos.db --SiftMatching.max_ratio 0.9\n"
                                  "  colmap mapper --database_path photos.db --image_path photos --output_path sparse\n"
                                  "  adasample colmap --images photos --database photos.db --redescribe "
                                  "--clear-matches   # COLMAP's own keypoints\n");
  auto a = std::make_shared<ColmapCommandArguments>();
  ColmapExportOptions& o = a->options;
  command->add_option("--images", a->images, "Folder of the photographs; the database names them by their paths in it")
      ->required()
      ->type_name("DIR");
  command->add_option("--database", a->database, "COLMAP's database; created if missing")
      ->required()
      ->type_name("FILE");
  add_model_option(*command, a->model)->required(false)->capture_default_str();
  add_picture_options(*command, o.pictures);
  add_camera_options(*command, o);
  command->add_flag("--redescribe", a->redescribe,
                    "Keep the database's keypoints (from COLMAP's feature_extractor) and replace their descriptors");
  command->add_flag("--clear-matches", o.clear_matches,
                    "With --redescribe: drop the matches of the descriptors that are replaced");
  command->add_option("--sigma", o.sigma, "With --redescribe: scale in pixels of keypoints stored without one")
      ->type_name("PIXELS");
  a->given = [command](const std::string& option) { return command->count(option) > 0; };
  command->callback([&context, a] { context.action = [&context, a] { return fill_database(context, *a); }; });
}

}  // namespace adasample
