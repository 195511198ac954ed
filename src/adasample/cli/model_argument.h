// SPDX-License-Identifier: Apache-2.0
// --model M: a weights file, a run folder, or a name (sift, rootsift).
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "adasample/model/descriptor.h"

namespace adasample {

// Required, unless the caller says otherwise.
CLI::Option* add_model_option(CLI::App& command, std::string& model);
// device: auto, cpu or cuda, for networks.
std::unique_ptr<Descriptor> open_model(const std::string& model, const std::string& device);
// The sha256 of its weights file; empty for a name.
std::string model_sha256(const std::string& model);

// Weights as a Descriptor; throws where the program was built without anything that could run them.
std::unique_ptr<Descriptor> open_weights(const std::string& file, const std::string& device);

}  // namespace adasample
