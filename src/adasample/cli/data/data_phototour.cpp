// SPDX-License-Identifier: Apache-2.0
// adasample data phototour: a published PhotoTour set as a patch store.
#include "adasample/cli/data/data_commands.h"
#include "adasample/cli/data/view_arguments.h"
#include "adasample/data/phototour/phototour_store.h"

namespace adasample {

void add_data_phototour(CLI::App& data, Context& context) {
  CLI::App* command =
      add_command(data, "phototour", "A PhotoTour (Brown, UBC) set -> patch classes, filled up with turned copies",
                  "  adasample data phototour --root liberty --out liberty15\n"
                  "  adasample data phototour --root liberty --out real --positives 0\n");
  struct Arguments {
    PhotoTourStoreOptions options;
    std::string root, out;
  };
  auto a = std::make_shared<Arguments>();
  command->add_option("--root", a->root, "Unpacked set: patches0000.bmp .., info.txt")->required()->type_name("DIR");
  command->add_option("--out", a->out, "Store to create")->required()->type_name("S");
  add_copies_options(*command, a->options.positives, a->options.angle);
  command->add_option("--size", a->options.patch_size, "Patch width, pixels: 32 or 64")
      ->check(CLI::IsMember({32, 64}))
      ->capture_default_str();
  command->callback([&context, a] {
    context.action = [&context, a] {
      a->options.seed = context.seed;
      a->options.validate();
      make_phototour_store(PhotoTour::open(a->root), a->options, a->out);
      show_store(context, a->out);
      return 0;
    };
  });
}

}  // namespace adasample
