// SPDX-License-Identifier: Apache-2.0
#include "adasample/cli/model_argument.h"

#include <filesystem>

#include "adasample/base/error.h"
#include "adasample/base/sha256.h"
#include "adasample/cli/engine_choice.h"
#include "adasample/integrate/sift_descriptor.h"
#include "adasample/model/default_weights.h"

namespace adasample {

namespace {

constexpr const char* kModelHelp = "A weights file (.safetensors), a run folder, or a name: default, sift, rootsift";

bool is_name(const std::string& model) { return model == "sift" || model == "rootsift"; }

}  // namespace

std::string weights_file(const std::string& model) {
  if (model == "default") return default_weights_file().string();
  ADA_CHECK(std::filesystem::exists(model),
            "[model] {}: no such weights file or run folder, and no name that --model knows here (see --help)", model);
  if (!std::filesystem::is_directory(model)) return model;
  const std::filesystem::path inside = std::filesystem::path(model) / "model.safetensors";
  ADA_CHECK(std::filesystem::exists(inside), "[model] {}: this folder holds no model.safetensors - is it a run folder?",
            model);
  return inside.string();
}

CLI::Option* add_model_option(CLI::App& command, std::string& model) {
  return command.add_option("--model", model, kModelHelp)->required()->type_name("M");
}

CLI::Option* add_model_option(CLI::App& command, std::vector<std::string>& models) {
  return command.add_option("--model", models, fmt::format("{}; again for others, to compare", kModelHelp))
      ->required()
      ->allow_extra_args(false)  // what follows may be an argument without a flag
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
