// SPDX-License-Identifier: Apache-2.0
#include "adasample/cli/model_argument.h"

#include "adasample/base/bytes/sha256.h"
#include "adasample/base/error.h"
#include "adasample/cli/engine_choice.h"
#include "adasample/engine/tfeat.h"
#include "adasample/features/describe/orb_descriptor.h"
#include "adasample/features/describe/sift_descriptor.h"
#include "adasample/model/tfeat.h"

namespace adasample {

namespace {

constexpr const char* kModelHelp =
    "A weights file (.safetensors), a run folder, or a name: default, sift, rootsift, orb";
constexpr const char* kClassicEngine = "opencv";

// By OpenCV; null for any other name.
std::unique_ptr<Descriptor> make_classic(const std::string& name) {
  if (name == "orb") return make_orb_descriptor();
  if (name == "sift" || name == "rootsift") return make_sift_descriptor(name == "rootsift");
  return nullptr;
}

}  // namespace

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
          {"model_sha256", engine == kClassicEngine ? "" : sha256_of_file(weights_file(model))},
          {"engine", engine}};
}

OpenedModel open_model(const std::string& model, const Context& context) {
  if (auto classic = make_classic(model)) return {model, kClassicEngine, std::move(classic)};
  const std::string file = weights_file(model);
  const Weights weights = load_safetensors(file);
  if (const auto found = weights.metadata.find("architecture");
      found != weights.metadata.end() && found->second == kTFeat) {
    ADA_USAGE(context.engine == "auto" && context.device != "cuda",
              "--model {}: TFeat has one way to run, on a CPU - leave out --engine and --device", model);
    return {model, kTFeat, make_tfeat(weights, file)};
  }
  const EngineChoice choice = choose_engine(context.engine, context.device, this_machine());
  return {model, choice.engine, make_network(choice, weights, file)};
}

}  // namespace adasample
