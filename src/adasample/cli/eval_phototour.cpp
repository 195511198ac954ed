// SPDX-License-Identifier: Apache-2.0
// adasample eval phototour: FPR95 on a published match list, the Brown protocol.
#include <fmt/format.h>

#include "adasample/base/conventions.h"
#include "adasample/cli/eval_commands.h"
#include "adasample/cli/model_argument.h"
#include "adasample/eval/patch_source.h"

namespace adasample {

void add_eval_phototour(CLI::App& eval, Context& context) {
  CLI::App* command = add_command(eval, "phototour", "The Brown protocol: FPR95 over a match list of a PhotoTour set",
                                  "  adasample eval phototour --root notredame --model runs/a\n"
                                  "  adasample eval phototour --root yosemite --model sift --size 64 --json\n");
  struct Arguments {
    std::string root, model;
    std::optional<std::string> list;
    int size = kPatchSize;
  };
  auto a = std::make_shared<Arguments>();
  command->add_option("--root", a->root, "Unpacked set: patches0000.bmp .., info.txt, m50_*.txt")
      ->required()
      ->type_name("DIR");
  add_model_option(*command, a->model);
  command->add_option("--list", a->list, "Match list in it (default: m50_100000_100000_0.txt, else the largest)")
      ->type_name("NAME");
  command->add_option("--size", a->size, "Width of the patches to describe, pixels: 32 or 64; networks take 32")
      ->check(CLI::IsMember({32, 64}))
      ->capture_default_str();
  command->callback([&context, a] {
    context.action = [&context, a] {
      const PhotoTour set = PhotoTour::open(a->root);
      const std::filesystem::path list = set.match_list(a->list);
      const PatchPairs pairs = set.read_matches(list);
      const auto descriptor = open_model(a->model);
      double seconds = 0;
      const PairScores scores = evaluate_pairs(pairs, source_of(set, a->size), *descriptor, &seconds);
      auto object = scores_json(scores);
      object["seconds_describing"] = seconds;
      object["data"] = a->root;
      object["set"] = phototour_set_name(set.patch_count());
      object["list"] = list.filename().string();
      object["size"] = a->size;
      object["model"] = a->model;
      context.show(object, fmt::format("{}: {}", list.filename().string(), scores_text(scores)));
      return 0;
    };
  });
}

}  // namespace adasample
