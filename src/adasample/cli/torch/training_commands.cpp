// SPDX-License-Identifier: Apache-2.0
#include "adasample/cli/torch/training_commands.h"

namespace adasample {

void add_training_commands(CLI::App& app, Context& context) {
  add_demo_command(app, context);
  add_train_command(app, context);
  add_bench_command(app, context);
}

}  // namespace adasample
