// SPDX-License-Identifier: Apache-2.0
// --model M: a weights file, a run folder, or a name (default, sift, rootsift, orb).
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "adasample/cli/context.h"
#include "adasample/model/default_weights.h"
#include "adasample/model/descriptor.h"
#include "adasample/model/weights.h"

namespace adasample {

// Required, unless the caller says otherwise.
CLI::Option* add_model_option(CLI::App& command, std::string& model);
// Several, to be compared.
CLI::Option* add_model_option(CLI::App& command, std::vector<std::string>& models);

struct OpenedModel {
  std::string model;   // as given
  std::string engine;  // what runs it: see choose_engine(); "opencv" for SIFT and ORB, "tfeat"
  std::unique_ptr<Descriptor> descriptor;

  // For results: "model", "model_sha256" (empty for a name) and "engine".
  nlohmann::ordered_json record() const;
};

// Run as --engine and --device say.
OpenedModel open_model(const std::string& model, const Context& context);

}  // namespace adasample
