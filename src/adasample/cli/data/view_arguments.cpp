// SPDX-License-Identifier: Apache-2.0
#include "adasample/cli/data/view_arguments.h"

#include <vector>

namespace adasample {

void ViewArguments::apply(ViewClassOptions& options) const {
  options.jitter = parse_jitter(jitter);
  options.difficulty = parse_difficulty(hard);
  if (max_warp) options.difficulty.max_warp = *max_warp;
}

void add_view_options(CLI::App& command, ViewArguments& arguments, ViewClassOptions& options) {
  command.add_option("--views", options.views, "Patches per class")->capture_default_str();
  command.add_option("--size", options.patch_size, "Patch width, pixels")->capture_default_str();
  command
      .add_option("--jitter", arguments.jitter,
                  "How far views of a class differ: graded (easy to hard), narrow, middle, wide")
      ->check(CLI::IsMember(std::vector<std::string>(jitter_names().begin(), jitter_names().end())))
      ->capture_default_str();
  command
      .add_option("--hard", arguments.hard,
                  "In what they differ: usual or real, and factors of warp, light, contrast, shadow, blur, motion, "
                  "noise, occlusion, parallax, as in real,noise=0.5")
      ->type_name("MIX")
      ->capture_default_str();
  command
      .add_option("--max-warp", arguments.max_warp,
                  "Largest strength of the warp, whatever the grade: 1 is that of wide, 0.45 a detector's; default: "
                  "that of --hard")
      ->check(CLI::NonNegativeNumber)
      ->type_name("STRENGTH");
}

void add_redetect_options(CLI::App& command, RedetectOptions& options) {
  command.add_flag("--redetect", options.on,
                   "Views of whole pictures: a class is a keypoint and where the detector found it again in them");
  command
      .add_option("--min-overlap", options.min_overlap,
                  "With --redetect: minimum overlap with the true region of a keypoint found again")
      ->needs("--redetect")
      ->capture_default_str();
  command
      .add_option("--max-turn", options.max_turn,
                  "With --redetect: drop those turned further against the true orientation, degrees")
      ->needs("--redetect")
      ->capture_default_str();
}

void add_copies_options(CLI::App& command, int& positives, double& angle) {
  command
      .add_option("--positives", positives,
                  "Fill classes up to this many patches with rotated copies; 0: real patches only")
      ->capture_default_str();
  command.add_option("--angle", angle, "Rotate copies by up to this many degrees either way")->capture_default_str();
}

}  // namespace adasample
