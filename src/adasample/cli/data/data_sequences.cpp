// SPDX-License-Identifier: Apache-2.0
// adasample data sequences: homography sequences -> patches in the layout of HPatches.
#include <fmt/format.h>

#include "adasample/cli/data/data_commands.h"
#include "adasample/cli/photograph_arguments.h"
#include "adasample/data/sequences/sequences.h"
#include "adasample/features/detect/detector.h"

namespace adasample {
namespace {

std::string sequences_text(const nlohmann::ordered_json& result) {
  std::string text;
  int64_t patches = 0;
  for (const auto& sequence : result["sequences"]) {
    patches += sequence["patches"].get<int64_t>();
    text += fmt::format("{}: {} patches from {} images\n", sequence["name"].get<std::string>(),
                        sequence["patches"].get<int64_t>(), sequence["images"].get<int64_t>());
  }
  text += fmt::format("{} sequences, {} patches a strip in all; median overlap", result["sequences"].size(), patches);
  for (const auto& [level, overlap] : result["median_overlap"].items()) {
    text += fmt::format(" {} {:.3f}", level, overlap.get<double>());
  }
  return text;
}

}  // namespace

void add_data_sequences(CLI::App& data, Context& context) {
  CLI::App* command =
      add_command(data, "sequences", "Image sequences with homographies -> patches in the layout of HPatches",
                  "  adasample data sequences --images hpatches-sequences-release --out patches\n"
                  "  adasample data sequences --images oxford/v_boat --out boat --detectors hessian --max 500\n");
  struct Arguments {
    SequenceOptions options;
    std::string images, out;
  };
  auto a = std::make_shared<Arguments>();
  const std::vector<std::string> names(detector_names().begin(), detector_names().end());
  add_sequences_option(*command, a->images);
  command->add_option("--out", a->out, "Folder to create")->required()->type_name("D");
  command->add_option("--max", a->options.max_patches, "Maximum patches per sequence")->capture_default_str();
  command->add_option("--detectors", a->options.detectors, fmt::format("Some of {}", fmt::join(names, ",")))
      ->delimiter(',')
      ->check(CLI::IsMember(names))
      ->type_name("LIST")
      ->capture_default_str();
  FrameNoise& noise = a->options.noise;
  const auto add_range = [&](const char* flag, double& range, const std::string& help) {
    command->add_option(flag, range, help)->capture_default_str()->group("Noise of the frames");
  };
  add_range("--noise-rotation", noise.rotation,
            "Standard deviation of the turn, degrees. Of the four the proportions count: every level scales them to "
            "its median overlap");
  add_range("--noise-shift", noise.shift, "Of the shift along each axis, half widths of the patch");
  add_range("--noise-scale", noise.scale, "Of the scale, octaves");
  add_range("--noise-anisotropy", noise.anisotropy, "Of the stretch along a random direction, octaves");
  command->add_flag("--skip-bad", a->options.skip_bad, "Skip sequences that cannot be read, with a warning");
  command->callback([&context, a] {
    context.action = [&context, a] {
      a->options.seed = context.seed;
      nlohmann::ordered_json result = make_sequences(a->images, a->options, a->out);
      const std::string text = sequences_text(result);
      result["out"] = a->out;
      context.show(result, text);
      return 0;
    };
  });
}

}  // namespace adasample
