// SPDX-License-Identifier: Apache-2.0
#include "adasample/cli/model_argument.h"

#include <filesystem>

#include "adasample/base/error.h"
#include "adasample/integrate/sift_descriptor.h"

namespace adasample {

void add_model_option(CLI::App& command, std::string& model) {
  command.add_option("--model", model, "A weights file (.safetensors), a run folder, or a name: sift, rootsift")
      ->required()
      ->type_name("M");
}

std::unique_ptr<Descriptor> open_model(const std::string& model) {
  if (model == "sift" || model == "rootsift") return make_sift_descriptor(model == "rootsift");
  ADA_CHECK(std::filesystem::exists(model),
            "[model] {}: no such file or run folder, and no model of that name (sift, rootsift)", model);
  if (!std::filesystem::is_directory(model)) return open_weights(model);
  const std::filesystem::path inside = std::filesystem::path(model) / "model.safetensors";
  ADA_CHECK(std::filesystem::exists(inside), "[model] {}: this folder holds no model.safetensors - is it a run folder?",
            model);
  return open_weights(inside.string());
}

}  // namespace adasample
