// SPDX-License-Identifier: Apache-2.0
// --model M: a weights file, a run folder, or a name (default, sift, rootsift, orb).
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "adasample/cli/context.h"
#include "adasample/engine/model_record.h"
#include "adasample/engine/open_model.h"

namespace adasample {

// Required, unless the caller says otherwise.
CLI::Option* add_model_option(CLI::App& command, std::string& model);
// Several, to be compared.
CLI::Option* add_model_option(CLI::App& command, std::vector<std::string>& models);

// Run as --engine and --device say; warnings are logged.
OpenedModel open_model(const std::string& model, const Context& context);
OpenedModel open_and_tell(const Weights& weights, const std::string& label, const EngineChoice& choice);

}  // namespace adasample
