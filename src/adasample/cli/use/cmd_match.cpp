// SPDX-License-Identifier: Apache-2.0
// adasample match: two photographs in, matching places out.
#include "adasample/cli/context.h"
#include "adasample/cli/model_argument.h"
#include "adasample/cli/photograph_arguments.h"
#include "adasample/cli/use/match_photographs.h"

namespace adasample {

void add_match_command(CLI::App& app, Context& context) {
  CLI::App* command =
      add_command(app, "match", "Match two photographs, verify by geometry, draw the result",
                  "  adasample match a.jpg b.jpg --out matches.png\n"
                  "  adasample match a.jpg b.jpg --model default --model sift --model rootsift --out three.png\n"
                  "  adasample match a.jpg b.jpg --model runs/a --geometry homography --ratio 0.9 --matches m.csv\n");
  auto a = std::make_shared<MatchArguments>();
  command->add_option("first", a->first, "A photograph")->required()->type_name("A");
  command->add_option("second", a->second, "Another photograph")->required()->type_name("B");
  add_model_option(*command, a->models)->required(false)->capture_default_str();
  command->add_option("--out", a->out, "New picture: both photographs side by side with lines between matches")
      ->type_name("FILE.png");
  command->add_option("--matches", a->list, "New list: x1,y1,x2,y2,distance,inlier")->type_name("FILE.csv");
  add_picture_options(*command, a->pictures);
  command
      ->add_option("--ratio", a->limits.ratio,
                   "Maximum ratio of the distance to that of the next best, in both directions")
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
  command->add_option("--threshold", a->geometry.threshold, "Inlier threshold, pixels")->capture_default_str();
  command->add_option("--draw", a->drawing.most_lines, "Maximum number of inliers to draw; all are counted")
      ->capture_default_str();
  command->add_option("--width", a->drawing.width, "Maximum width of the drawing, pixels")->capture_default_str();
  command->callback([&context, a, geometry] {
    a->geometry_given = geometry->count() > 0;
    context.action = [&context, a] { return match_photographs(context, *a); };
  });
}

}  // namespace adasample
