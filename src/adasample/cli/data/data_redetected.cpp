// SPDX-License-Identifier: Apache-2.0
// adasample data redetected: points of homography sequences that a detector found again -> a patch store.
#include <fmt/format.h>

#include "adasample/cli/data/data_commands.h"
#include "adasample/cli/data/view_arguments.h"
#include "adasample/cli/photograph_arguments.h"
#include "adasample/data/sequences/redetected.h"

namespace adasample {
namespace {

std::string redetected_text(const nlohmann::ordered_json& meta, const std::string& out) {
  std::string text;
  int64_t classes = 0, patches = 0;
  for (const auto& sequence : meta["sequences"]) {
    classes += sequence["classes"].get<int64_t>();
    patches += sequence["patches"].get<int64_t>();
    text += fmt::format("{}: {} classes, {} patches; median overlap {:.3f}\n", sequence["name"].get<std::string>(),
                        sequence["classes"].get<int64_t>(), sequence["patches"].get<int64_t>(),
                        sequence["noise"]["overlap"].get<double>());
  }
  const auto& noise = meta["noise"];
  if (const int positives = meta["options"].value("positives", 0); positives > 0) {
    text += fmt::format("{}: classes are filled up to {} patches; those counted are real\n", out, positives);
  }
  return text + fmt::format(
                    "{}: {} classes, {} patches; found again with a median overlap of {:.3f}, turn {:.1f} "
                    "degrees, shift {:.3f} radii, scale {:.3f} octaves; {:.1f} % another way up",
                    out, classes, patches, noise["overlap"].get<double>(), noise["turn"].get<double>(),
                    noise["shift"].get<double>(), noise["scale"].get<double>(), 100 * noise["other_way"].get<double>());
}

}  // namespace

void add_data_redetected(CLI::App& data, Context& context) {
  CLI::App* command =
      add_command(data, "redetected", "Image sequences with homographies -> points that a detector found again",
                  "  adasample data redetected --images hpatches-sequences-release --out again\n"
                  "  adasample data redetected --images oxford --out hessian --detector hessian --overlap 0.6\n");
  struct Arguments {
    RedetectedOptions options;
    std::string images, out;
  };
  auto a = std::make_shared<Arguments>();
  FeatureOptions& features = a->options.features;
  add_sequences_option(*command, a->images);
  command->add_option("--out", a->out, "Store to create")->required()->type_name("S");
  add_detector_options(*command, features);
  command->add_flag("--upright", features.upright, "Do not rotate patches to the dominant gradient");
  add_region_option(*command, features.region_factor);
  command
      ->add_option("--overlap", a->options.min_overlap,
                   "Minimum overlap (intersection over union) of two regions that are the same point")
      ->capture_default_str();
  command->add_option("--size", features.size, "Patch width, pixels")->capture_default_str();
  add_copies_options(*command, a->options.copies.positives, a->options.copies.angle);
  command->add_flag("--skip-bad", a->options.skip_bad, "Skip sequences that cannot be read, with a warning");
  command->callback([&context, a] {
    context.action = [&context, a] {
      a->options.seed = context.seed;
      nlohmann::ordered_json meta = make_redetected_store(a->images, a->options, a->out);
      const std::string text = redetected_text(meta, a->out);
      meta["out"] = a->out;
      context.show(meta, text);
      return 0;
    };
  });
}

}  // namespace adasample
