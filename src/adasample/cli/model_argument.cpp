// SPDX-License-Identifier: Apache-2.0
#include "adasample/cli/model_argument.h"

#include <filesystem>

#include "adasample/base/error.h"
#include "adasample/base/sha256.h"
#include "adasample/integrate/sift_descriptor.h"

namespace adasample {

namespace {

bool is_name(const std::string& model) { return model == "sift" || model == "rootsift"; }

std::string weights_file(const std::string& model) {
  ADA_CHECK(std::filesystem::exists(model),
            "[model] {}: no such file or run folder, and no model of that name (sift, rootsift)", model);
  if (!std::filesystem::is_directory(model)) return model;
  const std::filesystem::path inside = std::filesystem::path(model) / "model.safetensors";
  ADA_CHECK(std::filesystem::exists(inside), "[model] {}: this folder holds no model.safetensors - is it a run folder?",
            model);
  return inside.string();
}

}  // namespace

CLI::Option* add_model_option(CLI::App& command, std::string& model) {
  return command.add_option("--model", model, "A weights file (.safetensors), a run folder, or a name: sift, rootsift")
      ->required()
      ->type_name("M");
}

std::unique_ptr<Descriptor> open_model(const std::string& model, const std::string& device) {
  if (is_name(model)) return make_sift_descriptor(model == "rootsift");
  return open_weights(weights_file(model), device);
}

std::string model_sha256(const std::string& model) { return is_name(model) ? "" : sha256_of_file(weights_file(model)); }

}  // namespace adasample
