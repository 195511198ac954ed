// SPDX-License-Identifier: Apache-2.0
#include "adasample/cli/model_argument.h"

#include "adasample/base/log.h"

namespace adasample {
namespace {

constexpr const char* kModelHelp =
    "A weights file (.safetensors), a run folder, or a name: default, free, sift, rootsift, orb";
OpenedModel told(OpenedModel opened) {
  for (const std::string& warning : opened.warnings) log_warning("{}", warning);
  return opened;
}

}  // namespace

CLI::Option* add_model_option(CLI::App& command, std::string& model) {
  return command.add_option("--model", model, kModelHelp)->required()->type_name("M");
}

CLI::Option* add_model_option(CLI::App& command, std::vector<std::string>& models) {
  return command.add_option("--model", models, fmt::format("{}; repeat to compare several", kModelHelp))
      ->required()
      ->allow_extra_args(false)  // what follows may be an argument without a flag
      ->type_name("M");
}

OpenedModel open_model(const std::string& model, const Context& context) {
  return told(open_model(model, ModelOptions{.engine = context.engine, .device = context.device}));
}

OpenedModel open_and_tell(const Weights& weights, const std::string& label, const EngineChoice& choice) {
  return told(run_weights(weights, label, choice));
}

}  // namespace adasample
