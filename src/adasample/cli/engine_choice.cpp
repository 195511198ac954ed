// SPDX-License-Identifier: Apache-2.0
#include "adasample/cli/engine_choice.h"

#include <algorithm>

#include "adasample/base/error.h"
#include "adasample/base/log.h"
#include "adasample/cli/torch_network.h"
#include "adasample/engine/engine.h"
#include "adasample/model/calibration.h"

namespace adasample {
namespace {

constexpr const char* kInt8 = "onednn-int8";

const char* needs_of(const std::string& engine) {
  return engine == "torch"  ? "a program built with LibTorch"
         : engine == "cuda" ? "a program built with CUDA and a Hopper GPU"
         : engine == kInt8  ? "a program built with oneDNN, and AVX-512 with VNNI"
                            : "a program built with oneDNN";
}

}  // namespace

const std::vector<std::string>& engine_choices() {
  static const std::vector<std::string> names = {"auto", "reference", "onednn", kInt8, "cuda", "torch"};
  return names;
}

std::vector<std::string> Machine::names() const {
  std::vector<std::string> all = engines;
  if (torch) all.emplace_back("torch");
  return all;
}

bool Machine::has(const std::string& name) const {
  const std::vector<std::string> all = names();
  return std::find(all.begin(), all.end(), name) != all.end();
}

Machine this_machine() {
  const auto stand_in = [](const std::string& engine) {
    const AvailableEngine here = engine_here(engine);
    if (!here.note.empty()) log_warning("[engine] {}", here.note);
    return here.name;
  };
  return {engine_names(), default_engine(), torch_network_built(), torch_network_device, stand_in};
}

EngineChoice choose_engine(const std::string& engine, const std::string& device, const Machine& machine) {
  if (engine == "auto") {
    const std::string where = machine.resolve_device(device);
    if (where == "cuda") return {machine.torch ? "torch" : "cuda", where};
    // Plain loops are for comparing with; LibTorch is a hundred times as fast.
    return {machine.torch && machine.default_engine == "reference" ? "torch" : machine.default_engine, where};
  }
  const std::string where = engine == "cuda" ? "cuda" : "cpu";
  ADA_USAGE(engine == "torch" || device == "auto" || device == where,
            "--engine {} runs on a {}, --device {} asks for another - leave one of the two out", engine,
            where == "cuda" ? "GPU" : "CPU", device);
  if (engine == kInt8 && !machine.has(kInt8) && machine.has("onednn")) return {machine.stand_in(kInt8), where};
  ADA_USAGE(machine.has(engine), "--engine {}: it needs {}; this program on this machine has {}", engine,
            needs_of(engine), fmt::join(machine.names(), ", "));
  return {engine, engine == "torch" ? machine.resolve_device(device) : where};
}

std::unique_ptr<Descriptor> make_network(const EngineChoice& choice, const Weights& weights, const std::string& label) {
  if (choice.engine == "torch") return make_torch_network(weights, label, choice.device);
  if (choice.engine == kInt8 && !is_calibrated(weights)) {
    log_warning("{}: no measured ranges for int8, assumed ones serve - `adasample calibrate` measures them", label);
  }
  return make_engine(choice.engine, weights, label);
}

}  // namespace adasample
