// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/error.h"
#include "adasample/cli/bench/bench_commands.h"

namespace adasample {
namespace {

void add_missing_command(CLI::App& parent, Context& context, const std::string& name) {
  CLI::App* command = parent.add_subcommand(name, "Not in this build: it was made without LibTorch");
  command->fallthrough(false);  // whatever follows is not looked at
  command->allow_extras();
  command->callback([&context, name] {
    context.action = [name]() -> int { ADA_THROW("'{}' needs LibTorch, which this program was built without", name); };
  });
}

}  // namespace

void add_training_commands(CLI::App& app, Context& context) {
  for (const char* name : {"train", "demo"}) add_missing_command(app, context, name);
}

void add_training_benches(CLI::App& bench, Context& context) {
  for (const char* name : {"step", "load"}) add_missing_command(bench, context, name);
}

}  // namespace adasample
