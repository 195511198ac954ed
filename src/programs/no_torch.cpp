// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/error.h"
#include "adasample/cli/parts.h"
#include "adasample/model/torch_kind.h"

namespace adasample {
namespace {

void add_missing_command(CLI::App& parent, Context& context, const std::string& name) {
  add_deferred_command(
      parent, context, name, "Not in this build: it was made without LibTorch",
      [name]() -> int { ADA_THROW("'{}' needs LibTorch, which this program was built without", name); },
      /*passes_help=*/false);
}

}  // namespace

void register_torch_part() {
  DescriptorKind kind = torch_kind();
  kind.problem = [](const std::string&) -> std::string { return "this program was built without LibTorch"; };
  kind.make = [](const Weights&, const std::string& label, const RunOptions&) -> std::unique_ptr<Descriptor> {
    ADA_THROW("[model] {}: this program was built without LibTorch", label);
  };
  register_descriptor(std::move(kind));
}

void add_training_commands(CLI::App& app, Context& context) {
  for (const char* name : {"train", "experiment", "reproduce", "demo"}) add_missing_command(app, context, name);
}

void add_training_benches(CLI::App& bench, Context& context) {
  for (const char* name : {"step", "load"}) add_missing_command(bench, context, name);
}

void export_torchscript(const Weights&, const std::filesystem::path& path) {
  ADA_THROW("[export] {}: this program was built without LibTorch, which writes TorchScript", path.string());
}

}  // namespace adasample
