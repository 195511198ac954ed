// SPDX-License-Identifier: Apache-2.0
#include "adasample/cli/model_argument.h"

#include "adasample/base/sha256.h"
#include "adasample/cli/engine_choice.h"
#include "adasample/integrate/sift_descriptor.h"

namespace adasample {

namespace {

bool is_name(const std::string& model) { return model == "sift" || model == "rootsift"; }

}  // namespace

CLI::Option* add_model_option(CLI::App& command, std::string& model) {
  return command
      .add_option("--model", model, "A weights file (.safetensors), a run folder, or a name: default, sift, rootsift")
      ->required()
      ->type_name("M");
}

nlohmann::ordered_json OpenedModel::record() const {
  return {{"model", model},
          {"model_sha256", is_name(model) ? "" : sha256_of_file(weights_file(model))},
          {"engine", engine}};
}

OpenedModel open_model(const std::string& model, const Context& context) {
  if (is_name(model)) return {model, "opencv", make_sift_descriptor(model == "rootsift")};
  const std::string file = weights_file(model);
  const EngineChoice choice = choose_engine(context.engine, context.device, this_machine());
  return {model, choice.engine, make_network(choice, load_safetensors(file), file)};
}

}  // namespace adasample
