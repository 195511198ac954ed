// SPDX-License-Identifier: Apache-2.0
// adasample colmap: keypoints and descriptors into COLMAP's database.
#include <fmt/format.h>

#include <chrono>

#include "adasample/base/error.h"
#include "adasample/base/interrupt.h"
#include "adasample/cli/context.h"
#include "adasample/cli/model_argument.h"
#include "adasample/cli/photograph_arguments.h"
#include "adasample/data/colmap_model.h"
#include "adasample/data/detector.h"
#include "adasample/integrate/colmap_export.h"

namespace adasample {
namespace {

struct ColmapCommandArguments {
  std::string images, database, model = "default";
  bool redescribe = false;
  ColmapExportOptions options;

  void validate() const {
    options.validate();
    ADA_USAGE(redescribe || !options.clear_matches, "--clear-matches goes with --redescribe");
    ADA_CHECK(std::filesystem::is_directory(images), "[colmap] {}: expected a folder of photographs", images);
    ADA_CHECK(!redescribe || std::filesystem::exists(database), "[colmap] {}: no such database to redescribe",
              database);
  }
};

int fill_database(const Context& context, ColmapCommandArguments a) {
  a.validate();
  catch_interrupts();
  const auto start = std::chrono::steady_clock::now();
  const auto writer = open_colmap_writer(a.database);
  const OpenedModel opened = open_model(a.model, context);
  if (opened.engine == "opencv") a.options.encoding = ColmapEncoding::kNonNegative;  // SIFT and RootSIFT
  const auto quiet = silence_codecs(context);
  const ColmapExportReport report =
      (a.redescribe ? redescribe_for_colmap : export_to_colmap)(a.images, *writer, *opened.descriptor, a.options);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  nlohmann::ordered_json object = {{"database", a.database},
                                   {"images", report.images},
                                   {"keypoints", report.keypoints},
                                   {"cameras_added", report.cameras},
                                   {"matches_cleared", report.cleared_matches},
                                   {"detector", a.redescribe ? "database" : a.options.detector},
                                   {"seconds", seconds},
                                   {"seconds_describing", report.seconds_describing}};
  object.update(opened.record());
  context.show(object, fmt::format("{}: {} images, {} keypoints described by {} in {:.0f} s", a.database, report.images,
                                   report.keypoints, opened.engine, seconds));
  return 0;
}

}  // namespace

void add_colmap_command(CLI::App& app, Context& context) {
  CLI::App* command = add_command(
      app, "colmap", "Keypoints and descriptors of photographs into a COLMAP database",
      "  adasample colmap --images photos --database work/database.db\n"
      "  colmap exhaustive_matcher --database_path work/database.db --SiftMatching.max_ratio 0.9\n"
      "  colmap mapper --database_path work/database.db --image_path photos --output_path work/sparse\n"
      "  adasample colmap --images photos --database work/database.db --redescribe --clear-matches   # COLMAP's own "
      "keypoints\n");
  auto a = std::make_shared<ColmapCommandArguments>();
  ColmapExportOptions& o = a->options;
  std::vector<std::string> detectors = {kSiftDetector};
  for (const std::string_view name : detector_names()) detectors.emplace_back(name);
  std::vector<std::string> cameras;
  for (const ColmapCameraModel& model : colmap_camera_models()) cameras.emplace_back(model.name);
  command->add_option("--images", a->images, "Folder of the photographs; the database names them by their paths in it")
      ->required()
      ->type_name("DIR");
  command->add_option("--database", a->database, "COLMAP's database, made when it is not there")
      ->required()
      ->type_name("FILE");
  add_model_option(*command, a->model)->required(false)->capture_default_str();
  command->add_option("--detector", o.detector, fmt::format("One of {}", fmt::join(detectors, ", ")))
      ->check(CLI::IsMember(detectors))
      ->capture_default_str();
  command
      ->add_option("--max-keypoints", o.max_keypoints,
                   "The strongest of a photograph, at most; with detector sift places, each of one or two orientations")
      ->capture_default_str();
  command->add_flag("--upright", o.upright, "No orientations: for photographs all taken the same way up");
  add_region_option(*command, o.region_factor);
  command->add_option("--max-side", o.max_side, "Pixels; a larger photograph is halved until it fits")
      ->capture_default_str();
  command->add_option("--camera-model", o.camera_model, "COLMAP's name of a camera model")
      ->check(CLI::IsMember(cameras))
      ->capture_default_str();
  command->add_flag("--single-camera", o.single_camera,
                    "One camera for all photographs; else one for each lens that EXIF names, or each photograph");
  command->add_flag("--redescribe", a->redescribe,
                    "Keep the keypoints of the database (from COLMAP's feature_extractor), replace their descriptors");
  command->add_flag("--clear-matches", o.clear_matches,
                    "With --redescribe: drop the matches of the descriptors that are replaced");
  command->add_option("--sigma", o.sigma, "With --redescribe: scale in pixels of keypoints stored without one")
      ->type_name("PIXELS");
  command->callback([&context, a] { context.action = [&context, a] { return fill_database(context, *a); }; });
}

}  // namespace adasample
