// SPDX-License-Identifier: Apache-2.0
// From a name, a file or a run folder to something that describes patches. The engines of this library are always
// there; what else a program has it registers (model/descriptor_registry.h).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "adasample/model/descriptor.h"
#include "adasample/model/descriptor_registry.h"
#include "adasample/model/weights.h"

namespace adasample {

struct ModelOptions {
  std::string engine = "auto";  // or one of those that run the weights; auto: the fastest in fp32
  std::string device = "auto";  // or cpu, cuda
  int threads = 0;              // 0: one a core
};

struct OpenedModel {
  std::string model;   // as given
  std::string engine;  // what runs it
  std::string file;    // its weights; empty for a descriptor that has none
  std::unique_ptr<Descriptor> descriptor;
  std::vector<std::string> warnings;  // another engine took the place of the one asked for, int8 without calibration
};

// `model`: a weights file, a run folder, "default" for the shipped weights, or a registered name ("sift"). Throws a
// usage Error for an engine that is not there, and Error for a GPU that is not and for weights that cannot be read.
OpenedModel open_model(const std::string& model, const ModelOptions& options = {});

// The same for weights at hand; `label` names them in messages and reports.
OpenedModel open_weights(const Weights& weights, const std::string& label, const ModelOptions& options = {});

// The names that ModelOptions::engine may have for weights of this library's own network, "auto" first; not every build
// and machine runs them all.
std::vector<std::string> engine_choices();

struct EngineChoice {
  std::string engine, device;
  std::string note = "";  // why it is not the one asked for

  bool operator==(const EngineChoice&) const = default;
};

// Weights run as was chosen, whatever their architecture; an engine that cannot run them throws Error.
OpenedModel run_weights(const Weights& weights, const std::string& label, const EngineChoice& choice, int threads = 0);

// What runs weights of `architecture`: the one of `kinds` that is asked for, or the one preferred here.
EngineChoice choose_engine(const std::string& engine, const std::string& device, const std::string& architecture,
                           std::span<const DescriptorKind> kinds);
// For this library's own network, among all that are registered.
EngineChoice choose_engine(const std::string& engine, const std::string& device);
// Which of them run here, on any device.
std::vector<std::string> engines_here();

}  // namespace adasample
