// SPDX-License-Identifier: Apache-2.0
// adasample data phototour: a published PhotoTour set as a patch store.
#include "adasample/base/interrupt.h"
#include "adasample/cli/data/data_commands.h"
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
  command
      ->add_option("--positives", a->options.positives,
                   "Fill classes up to this many patches with rotated copies; 0: real patches only")
      ->capture_default_str();
  command->add_option("--angle", a->options.angle, "Rotate copies by up to this many degrees either way")
      ->capture_default_str();
  command->add_option("--size", a->options.patch_size, "Patch width, pixels: 32 or 64")
      ->check(CLI::IsMember({32, 64}))
      ->capture_default_str();
  command->callback([&context, a] {
    context.action = [&context, a] {
      a->options.seed = context.seed;
      a->options.validate();
      catch_interrupts();
      make_phototour_store(PhotoTour::open(a->root), a->options, a->out);
      show_store(context, a->out);
      return 0;
    };
  });
}

}  // namespace adasample
