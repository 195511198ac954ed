// SPDX-License-Identifier: Apache-2.0
// adasample data colmap: the tracks of a COLMAP model as patch classes.
#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/base/log.h"
#include "adasample/cli/data/data_commands.h"
#include "adasample/cli/data/view_arguments.h"
#include "adasample/cli/photograph_arguments.h"
#include "adasample/data/colmap/colmap_classes.h"
#include "adasample/data/colmap/redetected_keypoints.h"
#include "adasample/integrate/colmap/colmap_database.h"

namespace adasample {
namespace {

struct ColmapArguments {
  ColmapOptions options;
  std::string model, images, database, out;
};

// The database's, or those that the photographs show again.
ColmapKeypoints keypoints_of(const ColmapArguments& a, const ColmapModel& model) {
  if (!a.database.empty()) return open_colmap_keypoints(a.database);
  if (const auto found = find_near_model(a.model, "database.db")) return open_colmap_keypoints(*found);
  log_info("{}: no database near it: scales and orientations are those of keypoints found again within {} pixels",
           a.model, kFoundAgain);
  return redetect_keypoints(model, a.images);
}

void run_colmap(ColmapArguments& a) {
  if (a.options.scene.empty()) a.options.scene = scene_of_model(a.model);
  a.options.validate();
  refuse_existing(a.out);
  const ColmapModel model = read_colmap_model(a.model);
  const ColmapSources sources{a.images, keypoints_of(a, model)};
  make_colmap_store(model, sources, a.options, a.out);
}

}  // namespace

void add_data_colmap(CLI::App& data, Context& context) {
  CLI::App* command = add_command(
      data, "colmap", "Tracks of a COLMAP model and its photographs -> patch classes",
      "  adasample data colmap --model work/sparse/0 --images photos --out train\n"
      "  adasample data colmap --model work/sparse/0 --images photos --out train15 --positives 15    # as the paper's "
      "*\n"
      "  adasample data colmap --model sparse --images photos --database db.db --out s --holdout-image a.jpg b.jpg\n");
  auto a = std::make_shared<ColmapArguments>();
  a->options.scene = "";
  ColmapOptions& o = a->options;
  command->add_option("--model", a->model, "Folder of cameras, images and points3D, as .bin or .txt")
      ->required()
      ->type_name("DIR");
  command->add_option("--images", a->images, "Folder of the photographs")->required()->type_name("DIR");
  command
      ->add_option("--database", a->database,
                   "COLMAP's database, for the keypoints' scales; default: database.db in the model's folder or up to "
                   "two above; without "
                   "one the photographs are searched again")
      ->type_name("FILE");
  command->add_option("--out", a->out, "Store to create")->required()->type_name("S");
  command->add_option("--min-track", o.min_track, "Minimum number of photographs that see a point")
      ->capture_default_str();
  command->add_option("--min-angle", o.min_angle, "Minimum angle between some two rays of a point, degrees")
      ->capture_default_str();
  command->add_option("--max-error", o.max_error, "Largest mean reprojection error of a point, pixels")
      ->capture_default_str();
  command->add_option("--max-views", o.max_views, "Maximum patches per class")->capture_default_str();
  command->add_option("--region", o.region, "Half width of the patch in sigmas of the keypoint")->capture_default_str();
  command
      ->add_option("--overlap", o.max_overlap,
                   "Largest overlap of two points' regions in a photograph (intersection over union); the longer track "
                   "stays")
      ->capture_default_str();
  command->add_option("--size", o.patch_size, "Patch width, pixels")->capture_default_str();
  add_copies_options(*command, o.copies.positives, o.copies.angle);
  command
      ->add_option(
          "--holdout-image", o.holdout,
          "Photographs (names in the model) whose points must not be used; drops points, makes no second store")
      ->type_name("NAME");
  command
      ->add_option("--scene", o.scene,
                   "What the photographs show, by name, for `eval tracks`; default: the folder that the model is of")
      ->type_name("NAME");
  command->add_option("--sigma", o.sigma, "Scale in pixels of keypoints that the database stores without one")
      ->type_name("PIXELS");
  command->callback([&context, a] {
    context.action = [&context, a] {
      a->options.seed = context.seed;
      run_colmap(*a);
      show_store(context, a->out);
      return 0;
    };
  });
}

}  // namespace adasample
