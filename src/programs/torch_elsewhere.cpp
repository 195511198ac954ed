// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include "adasample/cli/bench/bench_commands.h"
#include "adasample/cli/parts.h"
#include "adasample/model/torch_kind.h"

namespace adasample {
namespace {

[[noreturn]] int hand_over() { throw HandOver{kTorchProgram}; }

// Whether LibTorch would find a GPU, without loading it: the driver is asked.
bool gpu_found() {
  void* driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr) return false;
  const auto init = reinterpret_cast<int (*)(unsigned)>(::dlsym(driver, "cuInit"));
  const auto count = reinterpret_cast<int (*)(int*)>(::dlsym(driver, "cuDeviceGetCount"));
  int devices = 0;
  return init != nullptr && count != nullptr && init(0) == 0 && count(&devices) == 0 && devices > 0;
}

}  // namespace

void register_torch_part() {
  DescriptorKind kind = torch_kind();
  kind.problem = [](const std::string& device) {
    if (device != "cuda") return std::string();
    static const bool gpu = ADASAMPLE_TORCH_CUDA && gpu_found();
    return gpu ? std::string() : torch_gpu_problem(ADASAMPLE_TORCH_CUDA, ADASAMPLE_TORCH_VERSION);
  };
  kind.make = [](const Weights&, const std::string&, const RunOptions&) -> std::unique_ptr<Descriptor> { hand_over(); };
  register_descriptor(std::move(kind));
}

void add_training_commands(CLI::App& app, Context& context) {
  add_deferred_command(app, context, "demo", kDemoDescription, hand_over);
  add_deferred_command(app, context, "train", kTrainDescription, hand_over);
  add_deferred_command(app, context, "experiment", kExperimentDescription, hand_over);
  add_deferred_command(app, context, "reproduce", kReproduceDescription, hand_over);
}

void add_training_benches(CLI::App& bench, Context& context) {
  add_deferred_command(bench, context, "step", kBenchStepDescription, hand_over);
  add_deferred_command(bench, context, "load", kBenchLoadDescription, hand_over);
}

void export_torchscript(const Weights&, const std::filesystem::path&) { hand_over(); }

}  // namespace adasample
