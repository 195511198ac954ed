// SPDX-License-Identifier: Apache-2.0
// adasample match: two photographs in, matching places out; or a folder of them into COLMAP's database.
#include <array>

#include "adasample/base/error.h"
#include "adasample/cli/context.h"
#include "adasample/cli/model_argument.h"
#include "adasample/cli/photograph_arguments.h"
#include "adasample/cli/use/match_folder.h"
#include "adasample/cli/use/match_photographs.h"

namespace adasample {
namespace {

constexpr std::array kOnlyOfTwo = {"--matches", "--geometry", "--draw", "--width"};
constexpr std::array kOnlyOfFolder = {"--images",       "--pairs",         "--sequential",
                                      "--retrieve",     "--vocabulary",    "--min-inliers",
                                      "--camera-model", "--single-camera", "--again"};

// What two photographs and a folder share has other defaults for a folder, which COLMAP's mapper is to use.
int match_some(const Context& context, const CLI::App& command, const MatchArguments& two,
               MatchFolderArguments folder) {
  const auto given = [&](const char* option) { return command.count(option) > 0; };
  if (folder.database.empty() && folder.features.empty()) {
    for (const char* option : kOnlyOfFolder) ADA_USAGE(!given(option), "{} goes with --database", option);
    ADA_USAGE(!two.first.empty() && !two.second.empty(), "match: expected two photographs, or --database");
    return match_photographs(context, two);
  }
  for (const char* option : kOnlyOfTwo) ADA_USAGE(!given(option), "{} goes with two photographs", option);
  ADA_USAGE(two.first.empty(), "match: expected two photographs or --database, found both");
  ADA_USAGE(two.models.size() == 1, "--database {}: holds the descriptors of one --model, found {}", folder.database,
            two.models.size());
  ADA_USAGE(folder.database.empty() || two.out.empty(), "--out goes with two photographs, or with --features");
  folder.model = two.models.front();
  folder.out = two.out;
  PictureOptions& pictures = folder.pictures.pictures;
  if (given("--detector")) pictures.features.detector = two.pictures.features.detector;
  if (given("--max-keypoints")) pictures.features.max_keypoints = two.pictures.features.max_keypoints;
  if (given("--max-side")) pictures.max_side = two.pictures.max_side;
  pictures.features.upright = two.pictures.features.upright;
  pictures.features.region_factor = two.pictures.features.region_factor;
  if (given("--ratio")) folder.options.limits.ratio = two.limits.ratio;
  folder.options.limits.max_distance = two.limits.max_distance;
  if (given("--threshold")) folder.options.threshold = two.geometry.threshold;
  return match_folder(context, std::move(folder));
}

}  // namespace

void add_match_command(CLI::App& app, Context& context) {
  CLI::App* command = add_command(
      app, "match", "Match two photographs and draw the result, or a folder of them for COLMAP's mapper",
      "  adasample match a.jpg b.jpg --out matches.png\n"
      "  adasample match a.jpg b.jpg --model default --model sift --model rootsift --out three.png\n"
      "  adasample match a.jpg b.jpg --model runs/a --geometry homography --ratio 0.9 --matches m.csv\n"
      "  adasample match --images photos --database photos.db                # all pairs; then colmap mapper\n"
      "  adasample match --images photos --database photos.db --retrieve 20  # pairs that look alike\n"
      "  adasample match --features photos.h5 --out matches.h5               # hloc's layout\n");
  auto a = std::make_shared<MatchArguments>();
  auto folder = std::make_shared<MatchFolderArguments>();
  command->add_option("first", a->first, "A photograph")->type_name("A");
  command->add_option("second", a->second, "Another photograph")->type_name("B");
  add_model_option(*command, a->models)->required(false)->capture_default_str();
  command->add_option("--out", a->out, "New picture: both photographs side by side with lines between matches")
      ->type_name("FILE.png");
  command->add_option("--matches", a->list, "New list: x1,y1,x2,y2,distance,inlier,keypoint1,keypoint2")
      ->type_name("FILE.csv");
  add_picture_options(*command, a->pictures);
  command
      ->add_option("--ratio", a->limits.ratio,
                   "Maximum ratio of the distance to that of the next best, in both directions; of a folder 0.9")
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
  command
      ->add_option("--threshold", a->geometry.threshold,
                   "Inlier threshold, pixels; of a folder a thousandth of the longest side, 1 to 4")
      ->capture_default_str();
  command->add_option("--draw", a->drawing.most_lines, "Maximum number of inliers to draw; all are counted")
      ->capture_default_str();
  command->add_option("--width", a->drawing.width, "Maximum width of the drawing, pixels")->capture_default_str();
  command->add_option("--images", folder->images, "Folder: photographs that are described if the database lacks them")
      ->type_name("DIR");
  command
      ->add_option(
          "--database", folder->database,
          "Folder: COLMAP's database, created if missing; matches and two-view geometries are added, pair by pair")
      ->type_name("FILE");
  command->add_option("--features", folder->features, "Or hloc's features; --out FILE.h5 then holds the matches")
      ->type_name("FILE.h5");
  add_pair_options(*command, folder->choice);
  command
      ->add_option("--min-inliers", folder->options.geometry.min_inliers,
                   "Folder: fewest inliers of a pair that counts as verified")
      ->capture_default_str();
  add_camera_options(*command, folder->pictures);
  command->add_flag("--again", folder->again,
                    "Folder: drop the database's matches first; default: only what is missing");
  command->callback([&context, a, folder, geometry, command] {
    a->geometry_given = geometry->count() > 0;
    context.action = [&context, a, folder, command] { return match_some(context, *command, *a, *folder); };
  });
}

}  // namespace adasample
