// SPDX-License-Identifier: Apache-2.0
// adasample data images: own photographs -> patch classes.
#include <fmt/format.h>

#include "adasample/cli/data/data_commands.h"
#include "adasample/cli/data/view_arguments.h"
#include "adasample/cli/photograph_arguments.h"
#include "adasample/data/patch_store.h"

namespace adasample {
namespace {

struct ImageArguments {
  PhotographOptions options;
  ViewArguments views;
  std::string images, out, list;
  bool no_jpeg = false;
};

int make_image_store(const ImageArguments& a, const Context& context) {
  std::filesystem::path named(a.out);
  if (!named.has_filename()) named = named.parent_path();  // S/ is S
  const std::string heldout = named.string() + "-heldout";
  const PhotographReport report = make_photograph_stores(a.images, a.options, a.out, heldout);
  warn_about(report.skipped);

  nlohmann::ordered_json object = store_json(PatchStore::open(a.out));
  std::string text = store_text(object) + fmt::format(" ({} of them)", report.used);
  object["photographs"] = report.used;
  object["skipped"] = skipped_json(report.skipped);
  if (report.heldout > 0) {
    object["heldout"] = store_json(PatchStore::open(heldout));
    text += "\n" + store_text(object["heldout"]) + fmt::format(" ({} held out)", report.heldout);
  }
  context.show(object, text);
  return 0;
}

}  // namespace

void add_data_images(CLI::App& data, Context& context) {
  CLI::App* command = add_command(
      data, "images", "Own photographs -> patch classes",
      "  adasample data images --images photos --out train --holdout 0.1    # and train-heldout\n"
      "  adasample data images --images photos --out wide --jitter wide --views 8 --per-image 50\n"
      "  adasample data images --images photos --out real --hard real            # hard for the right reasons\n"
      "  adasample data images --images photos --detector dog --out train         # needs no OpenCV\n");
  auto a = std::make_shared<ImageArguments>();
  PhotographOptions& o = a->options;
  command->add_option("--images", a->images, "Folder of pictures; subfolders are searched too")
      ->required()
      ->type_name("DIR");
  command->add_option("--out", a->out, "Store to create")->required()->type_name("S");
  command->add_option("--keypoints", a->list, "Cut at the keypoints of this list instead of detecting them")
      ->type_name("F.csv");
  command->add_option("--holdout", o.holdout, "Fraction of the photographs that go to a second store, S-heldout")
      ->capture_default_str();
  add_view_options(*command, a->views, o.cut);
  command->add_flag("--no-jpeg", a->no_jpeg, "Views without JPEG artefacts");
  add_redetect_options(*command, o.redetect);
  command->get_option("--redetect")->excludes("--keypoints");
  command->add_option("--per-image", o.per_image, "Maximum classes per photograph")->capture_default_str();
  command->add_option("--flat", o.cut.min_contrast, "Drop flatter spots: minimum standard deviation in grey levels")
      ->capture_default_str();
  command->add_option("--max-side", o.max_side, "Halve larger pictures until they fit, pixels")->capture_default_str();
  add_keypoint_options(*command, o.keypoints);
  for (const char* detector_option : {"--detector", "--contrast", "--min-sigma", "--max-keypoints"}) {
    command->get_option(detector_option)->excludes("--keypoints");
  }
  command->callback([&context, a] {
    context.action = [&context, a] {
      a->options.seed = context.seed;
      a->views.apply(a->options.cut);
      a->options.cut.jpeg = !a->no_jpeg;
      a->options.cut.region_factor = a->options.keypoints.region_factor;
      a->options.list = a->list;
      return make_image_store(*a, context);
    };
  });
}

}  // namespace adasample
