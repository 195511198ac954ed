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

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

const char* needs_of(const std::string& engine) {
  return engine == "torch"  ? "a program built with LibTorch"
         : engine == "cuda" ? "a program built with CUDA and a Hopper GPU"
         : engine == kInt8  ? "a program built with oneDNN and a CPU with VNNI"
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

Machine this_machine() { return {engine_names(), default_engine(), torch_network_built(), torch_network_device}; }

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
  if (engine == kInt8 && !has(machine.engines, kInt8) && has(machine.engines, "onednn")) {
    log_warning("--engine {}: it needs {}; describing with onednn, in fp32", kInt8, needs_of(kInt8));
    return {"onednn", where};
  }
  const std::vector<std::string> names = machine.names();
  ADA_USAGE(has(names, engine), "--engine {}: it needs {}; this program on this machine has {}", engine,
            needs_of(engine), fmt::join(names, ", "));
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
