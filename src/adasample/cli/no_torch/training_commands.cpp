// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/error.h"
#include "adasample/cli/context.h"

namespace adasample {

void add_training_commands(CLI::App& app, Context& context) {
  for (const char* name : {"train", "demo", "bench"}) {
    CLI::App* command = app.add_subcommand(name, "Not in this build: it was made without LibTorch");
    command->allow_extras();
    command->callback([&context, name] {
      context.action = [name]() -> int {
        ADA_THROW("'{}' needs LibTorch, which this program was built without", name);
      };
    });
  }
}

}  // namespace adasample
