// SPDX-License-Identifier: Apache-2.0
#include "adasample/cli/bench/bench_commands.h"
#include "adasample/cli/parts.h"
#include "adasample/cli/train/training_commands.h"
#include "adasample/convert/torchscript/torchscript.h"
#include "adasample/net/net_descriptor.h"

namespace adasample {

void register_torch_part() { register_torch(); }

void add_training_commands(CLI::App& app, Context& context) {
  add_demo_command(app, context);
  add_train_command(app, context);
  add_experiment_command(app, context);
  add_reproduce_command(app, context);
}

void add_training_benches(CLI::App& bench, Context& context) {
  add_bench_step(bench, context);
  add_bench_load(bench, context);
}

void export_torchscript(const Weights& weights, const std::filesystem::path& path) { save_torchscript(weights, path); }

}  // namespace adasample
