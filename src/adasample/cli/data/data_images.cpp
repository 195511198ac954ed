// SPDX-License-Identifier: Apache-2.0
// adasample data images: own photographs -> patch classes.
#include <numeric>

#include "adasample/base/error.h"
#include "adasample/base/interrupt.h"
#include "adasample/cli/data/data_commands.h"
#include "adasample/cli/photograph_arguments.h"
#include "adasample/data/patch_store.h"
#include "adasample/features/keypoint_list.h"
#include "adasample/features/regions/region_overlap.h"
#include "adasample/image/files/images.h"

namespace adasample {
namespace {

struct ImageArguments {
  PhotographOptions options;
  KeypointOptions keypoints;
  std::string images, out, list, jitter = "graded";
  bool no_jpeg = false;
};

// Cuts at the keypoints of a list, an earlier one before any later one of the same spot. A picture may be there as PGM
// instead, for machines without OpenCV; those that are not there are named.
void use_list(PhotographSource& source, const ImageArguments& a, std::vector<SkippedPhotograph>& skipped) {
  auto by_file = std::make_shared<KeypointList>();
  KeypointList list = read_keypoint_list(a.list);
  for (auto& [file, keypoints] : list) {
    const std::string pgm = std::filesystem::path(file).replace_extension(".pgm").string();
    const bool listed = std::filesystem::exists(source.folder / file);
    if (listed || std::filesystem::exists(source.folder / pgm)) {
      by_file->emplace(listed ? file : pgm, std::move(keypoints));
    } else {
      skipped.push_back({file, fmt::format("named in {}, but not in {}", a.list, source.folder.string())});
    }
  }
  ADA_CHECK(!list.empty(), "[images] {}: no keypoint in it", a.list);
  ADA_CHECK(!by_file->empty(), "[images] {}: none of the {} pictures it names is in {}", a.list, list.size(),
            source.folder.string());
  for (const auto& [file, keypoints] : *by_file) source.files.push_back(file);
  source.keypoints = [by_file, &a](const std::string& file, const GrayImage& picture, double reduction) {
    const std::vector<Keypoint> all = place_keypoints(by_file->at(file), file, picture, reduction);
    std::vector<size_t> order(all.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::vector<Keypoint> kept;
    for (const size_t i : suppress_overlaps(all, order, a.keypoints.region_factor, a.keypoints.max_overlap)) {
      kept.push_back(all[i]);
    }
    return kept;
  };
}

int make_image_store(const ImageArguments& a, const Context& context) {
  PhotographSource source{.folder = a.images, .files = {}, .read = read_image, .keypoints = {}};
  std::vector<SkippedPhotograph> skipped;
  a.keypoints.validate();
  if (a.list.empty()) {
    source.files = picture_names(a.images);
    source.keypoints = [&](const std::string&, const GrayImage& picture, double) {
      return detect_keypoints(picture, a.keypoints);
    };
  } else {
    use_list(source, a, skipped);
  }
  std::filesystem::path named(a.out);
  if (!named.has_filename()) named = named.parent_path();  // S/ is S
  const std::string heldout = named.string() + "-heldout";
  PhotographReport report;
  {
    const auto quiet = silence_codecs(context);
    report = make_photograph_stores(source, a.options, a.out, heldout);
  }
  report.skipped.insert(report.skipped.begin(), skipped.begin(), skipped.end());
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
  CLI::App* command =
      add_command(data, "images", "Own photographs -> patch classes",
                  "  adasample data images --images photos --out train --holdout 0.1    # and train-heldout\n"
                  "  adasample data images --images photos --out wide --jitter wide --views 8 --per-image 50\n"
                  "  adasample data images --images pgms --keypoints list.csv --out train    # needs no OpenCV\n");
  auto a = std::make_shared<ImageArguments>();
  PhotographOptions& o = a->options;
  command->add_option("--images", a->images, "Folder of pictures; subfolders are searched too")
      ->required()
      ->type_name("DIR");
  command->add_option("--out", a->out, "Store to make")->required()->type_name("S");
  command->add_option("--keypoints", a->list, "Cut at the keypoints of this list instead of detecting them")
      ->type_name("F.csv");
  command->add_option("--holdout", o.holdout, "Share of the photographs that go to a second store, S-heldout")
      ->capture_default_str();
  command->add_option("--views", o.cut.views, "Patches a class")->capture_default_str();
  command->add_option("--size", o.cut.patch_size, "Width of a patch, pixels")->capture_default_str();
  command
      ->add_option("--jitter", a->jitter,
                   "How far views of a class differ: graded (easy to hard), narrow, middle, wide")
      ->check(CLI::IsMember(std::vector<std::string>(jitter_names().begin(), jitter_names().end())))
      ->capture_default_str();
  command->add_flag("--no-jpeg", a->no_jpeg, "Views without JPEG artefacts");
  command->add_option("--per-image", o.per_image, "Classes a photograph, at most")->capture_default_str();
  command->add_option("--flat", o.cut.min_contrast, "Flatter spots are dropped: standard deviation in grey levels")
      ->capture_default_str();
  command->add_option("--max-side", o.max_side, "Larger pictures are halved until they fit, pixels")
      ->capture_default_str();
  add_keypoint_options(*command, a->keypoints);
  for (const char* detector_option : {"--contrast", "--min-sigma", "--max-keypoints"}) {
    command->get_option(detector_option)->excludes("--keypoints");
  }
  command->callback([&context, a] {
    context.action = [&context, a] {
      a->options.seed = context.seed;
      a->options.cut.jitter = parse_jitter(a->jitter);
      a->options.cut.jpeg = !a->no_jpeg;
      a->options.cut.region_factor = a->keypoints.region_factor;
      catch_interrupts();
      return make_image_store(*a, context);
    };
  });
}

}  // namespace adasample
