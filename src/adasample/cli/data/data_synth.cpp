// SPDX-License-Identifier: Apache-2.0
// adasample data synth: a patch store from nothing.
#include "adasample/cli/data/data_commands.h"
#include "adasample/cli/data/view_arguments.h"
#include "adasample/data/synthetic.h"

namespace adasample {

void add_data_synth(CLI::App& data, Context& context) {
  CLI::App* command =
      add_command(data, "synth", "Procedural dead-leaves scenes -> patch classes; no files needed",
                  "  adasample data synth --out train --classes 20000 --views 16\n"
                  "  adasample data synth --out heldout --classes 2000 --part heldout\n"
                  "  adasample data synth --out found --redetect --max-turn 45 --classes-per-scene 200\n");
  struct Arguments {
    SyntheticOptions options;
    ViewArguments views;
    std::string out;
  };
  auto a = std::make_shared<Arguments>();
  command->add_option("--out", a->out, "Store to create")->required()->type_name("S");
  command->add_option("--classes", a->options.classes, "Classes")->capture_default_str();
  add_view_options(*command, a->views, a->options.cut);
  add_redetect_options(*command, a->options.redetect);
  command->add_option("--part", a->options.part, "train or heldout: the two never share a scene")
      ->check(CLI::IsMember({"train", "heldout"}))
      ->capture_default_str();
  command->add_option("--classes-per-scene", a->options.classes_per_scene, "Maximum classes per scene")
      ->capture_default_str();
  command->callback([&context, a] {
    context.action = [&context, a] {
      a->options.seed = context.seed;
      a->views.apply(a->options.cut);
      make_synthetic_store(a->options, a->out);
      show_store(context, a->out);
      return 0;
    };
  });
}

}  // namespace adasample
