// SPDX-License-Identifier: Apache-2.0
// adasample data synth: a patch store from nothing.
#include "adasample/base/interrupt.h"
#include "adasample/cli/data/data_commands.h"
#include "adasample/data/synthetic.h"

namespace adasample {

void add_data_synth(CLI::App& data, Context& context) {
  CLI::App* command = add_command(data, "synth", "Procedural dead-leaves scenes -> patch classes; no files needed",
                                  "  adasample data synth --out train --classes 20000 --views 16\n"
                                  "  adasample data synth --out heldout --classes 2000 --part heldout\n");
  struct Arguments {
    SyntheticOptions options;
    std::string out, jitter = "graded";
  };
  auto a = std::make_shared<Arguments>();
  std::vector<std::string> jitters(jitter_names().begin(), jitter_names().end());
  command->add_option("--out", a->out, "Store to create")->required()->type_name("S");
  command->add_option("--classes", a->options.classes, "Classes")->capture_default_str();
  command->add_option("--views", a->options.cut.views, "Patches per class")->capture_default_str();
  command->add_option("--size", a->options.cut.patch_size, "Patch width, pixels")->capture_default_str();
  command->add_option("--part", a->options.part, "train or heldout: the two never share a scene")
      ->check(CLI::IsMember({"train", "heldout"}))
      ->capture_default_str();
  command
      ->add_option("--jitter", a->jitter,
                   "How far views of a class differ: graded (easy to hard), narrow, middle, wide")
      ->check(CLI::IsMember(jitters))
      ->capture_default_str();
  command->add_option("--classes-per-scene", a->options.classes_per_scene, "Maximum classes per scene")
      ->capture_default_str();
  command->callback([&context, a] {
    context.action = [&context, a] {
      a->options.seed = context.seed;
      a->options.cut.jitter = parse_jitter(a->jitter);
      catch_interrupts();
      make_synthetic_store(a->options, a->out);
      show_store(context, a->out);
      return 0;
    };
  });
}

}  // namespace adasample
