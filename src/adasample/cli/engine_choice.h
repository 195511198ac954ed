// SPDX-License-Identifier: Apache-2.0
// --engine E and --device D: what runs a network, and where. LibTorch is one more engine, "torch".
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "adasample/model/descriptor.h"
#include "adasample/model/weights.h"

namespace adasample {

// What --engine may be; not every build and machine has them all.
const std::vector<std::string>& engine_choices();

// What there is to choose from.
struct Machine {
  std::vector<std::string> engines;  // engine_names()
  std::string default_engine;
  bool torch = false;
  // "auto", "cpu" or "cuda" -> "cpu" or "cuda"; throws Error for a GPU that is not there.
  std::function<std::string(const std::string& device)> resolve_device;
  // engine_here(): what takes the place of an engine, with a warning.
  std::function<std::string(const std::string& engine)> stand_in;

  // Everything that can describe here: `engines`, and "torch" last.
  std::vector<std::string> names() const;
  bool has(const std::string& name) const;  // one of names()
};
Machine this_machine();

struct EngineChoice {
  std::string engine;  // one of Machine::names()
  std::string device;  // "cpu" or "cuda"

  bool operator==(const EngineChoice&) const = default;
};

// "auto" is on a CPU the fastest engine in fp32, on a GPU LibTorch in fp32. onednn-int8 becomes onednn, with a warning,
// on a CPU that cannot run it. Throws a usage Error for what is not here and for a device that the engine is not for.
EngineChoice choose_engine(const std::string& engine, const std::string& device, const Machine& machine);

// Warns when int8 arithmetic gets weights without measured ranges. `label` names the weights in messages.
std::unique_ptr<Descriptor> make_network(const EngineChoice& choice, const Weights& weights, const std::string& label);

}  // namespace adasample
