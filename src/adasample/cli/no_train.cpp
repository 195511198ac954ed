// SPDX-License-Identifier: Apache-2.0
// What cli/train/ does, where the program is built without LibTorch.
#include "adasample/base/error.h"
#include "adasample/cli/bench/bench_commands.h"
#include "adasample/cli/torch_network.h"
#include "adasample/engine/cuda_engine.h"

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

bool torch_network_built() { return false; }

std::string torch_network_device(const std::string& device) {
  ADA_CHECK(device != "cuda" || cuda_engine_available(),
            "--device cuda: this program was built without LibTorch, and the engine cuda does not run here - use "
            "--device cpu");
  return device == "cuda" ? device : "cpu";
}

std::unique_ptr<Descriptor> make_torch_network(const Weights&, const std::string& label, const std::string&) {
  ADA_THROW("[model] {}: this program was built without LibTorch", label);
}

}  // namespace adasample
