// SPDX-License-Identifier: Apache-2.0
#include "adasample/cli/train/training_commands.h"

#include "adasample/cli/bench/bench_commands.h"

namespace adasample {

void add_training_commands(CLI::App& app, Context& context) {
  add_demo_command(app, context);
  add_train_command(app, context);
}

void add_training_benches(CLI::App& bench, Context& context) {
  add_bench_step(bench, context);
  add_bench_load(bench, context);
}

}  // namespace adasample
