// SPDX-License-Identifier: Apache-2.0
// adasample eval pose and eval reconstruction: against cameras that are known.
#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/cli/eval/eval_commands.h"
#include "adasample/cli/model_argument.h"
#include "adasample/cli/photograph_arguments.h"
#include "adasample/cli/result_file.h"
#include "adasample/eval/pose/model_evaluation.h"
#include "adasample/eval/pose/pose_pairs.h"
#include "adasample/features/opencv_part.h"

namespace adasample {

void add_eval_pose(CLI::App& eval, Context& context) {
  CLI::App* command = add_command(
      eval, "pose", "Relative poses of pairs of pictures against the true ones: AUC at 5, 10 and 20 degrees",
      "  adasample eval pose --images fountain/images --cameras fountain/cameras --model default\n"
      "  adasample eval pose --images scannet --pairs scannet_test_pairs_with_gt.txt --model runs/a --out a.json\n");
  struct Arguments {
    std::string images, cameras, pairs, model;
    PoseOptions options;
    ResultFile out;
  };
  auto a = std::make_shared<Arguments>();
  command->add_option("--images", a->images, "Folder of the pictures")->required()->type_name("DIR");
  command
      ->add_option("--cameras", a->cameras,
                   "True cameras, all pairs of them: a folder of Strecha's .camera files, or a COLMAP model")
      ->type_name("DIR");
  command
      ->add_option(
          "--pairs", a->pairs,
          "Or a list of pairs with intrinsics and poses, as published with ScanNet-1500 (38 words per line) and "
          "MegaDepth-1500 (32)")
      ->type_name("FILE");
  add_model_option(*command, a->model);
  add_picture_options(*command, a->options.pictures);
  command->add_option("--ratio", a->options.limits.ratio, "Maximum ratio of the distance to that of the next best")
      ->capture_default_str();
  command->add_option("--threshold", a->options.threshold, "Inlier threshold, pixels")->capture_default_str();
  a->out.add_option(*command);
  command->callback([&context, a] {
    context.action = [&context, a] {
      ADA_USAGE(a->cameras.empty() != a->pairs.empty(), "eval pose: expected --cameras or --pairs, found {}",
                a->cameras.empty() ? "neither" : "both");
      a->options.validate();
      a->out.refuse_existing_file();
      prepare_pictures(a->options.pictures);
      prepare_opencv();
      const std::vector<PosePair> pairs = a->pairs.empty() ? pose_pairs_of(read_true_cameras(a->cameras), a->images)
                                                           : parse_pose_pairs(read_text(a->pairs), a->pairs);
      const OpenedModel opened = open_model(a->model, context);
      nlohmann::ordered_json object = evaluate_poses(pairs, a->images, *opened.descriptor, a->options);
      object.update(model_record(opened));
      a->out.show(context, object, poses_table(object));
      return 0;
    };
  });
}

void add_eval_reconstruction(CLI::App& eval, Context& context) {
  CLI::App* command =
      add_command(eval, "reconstruction", "Cameras of a COLMAP model against the true ones, after alignment",
                  "  adasample eval reconstruction --reconstruction work/sparse/0 --cameras fountain/cameras\n");
  struct Arguments {
    std::string model, cameras;
    ResultFile out;
  };
  auto a = std::make_shared<Arguments>();
  command->add_option("--reconstruction", a->model, "Folder of cameras, images and points3D, as .bin or .txt")
      ->required()
      ->type_name("DIR");
  command->add_option("--cameras", a->cameras, "True cameras: a folder of Strecha's .camera files, or a COLMAP model")
      ->required()
      ->type_name("DIR");
  a->out.add_option(*command);
  command->callback([&context, a] {
    context.action = [&context, a] {
      a->out.refuse_existing_file();
      const nlohmann::ordered_json object = evaluate_model(read_colmap_model(a->model), read_true_cameras(a->cameras));
      a->out.show(context, object, model_table(object));
      return 0;
    };
  });
}

}  // namespace adasample
