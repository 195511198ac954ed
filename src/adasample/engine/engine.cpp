// SPDX-License-Identifier: Apache-2.0
#include "adasample/engine/engine.h"

#include <algorithm>
#include <utility>

#include "adasample/base/error.h"
#include "adasample/base/parallel.h"
#include "adasample/engine/cpu_engine.h"
#include "adasample/engine/cuda_engine.h"
#include "adasample/engine/onednn_net.h"
#include "adasample/engine/register_engines.h"
#include "adasample/engine/simd_net.h"
#include "adasample/model/calibration.h"
#include "adasample/model/descriptor_registry.h"

namespace adasample {
namespace {

struct EngineKind {
  const char* name;
  const char* device;
  int preference;  // as DescriptorKind has it
  bool exact;
  const char* needs;
  const char* stand_in;
  const char* (*problem)();  // null: it runs here
  std::unique_ptr<Engine> (*make)(const Weights& weights, std::string label, int threads, bool small_calls);
  std::string (*remark)(const Weights& weights) = [](const Weights&) { return std::string(); };
  bool any_network = false;
};

std::string remark_on_ranges(const Weights& weights) {
  return is_calibrated(weights)
             ? ""
             : "no measured ranges for int8, default ranges are used - `adasample calibrate` measures them";
}

constexpr const char* kNeedsHighway = "a program built with Highway, and SSE 4 or NEON";

// Slowest first. Preferences are from measurements on every instruction set (bench/README.md) and not from a stopwatch
// at the start: a run that is resumed must find the same engine.
constexpr EngineKind kEngines[] = {
    {"reference", "cpu", 10, true, "nothing", "", []() -> const char* { return nullptr; },
     [](const Weights& weights, std::string label, int threads, bool) {
       return make_reference_engine(weights, std::move(label), threads);
     },
     [](const Weights&) { return std::string(); }, /*any_network=*/true},
    {"onednn", "cpu", 30, true, "a program built with oneDNN", "", [] { return OnednnNet::problem(Arithmetic::kFp32); },
     [](const Weights& weights, std::string label, int threads, bool small_calls) {
       return make_onednn_engine(weights, std::move(label), threads, /*int8=*/false, small_calls);
     }},
    {"onednn-int8", "cpu", 0, false, "a program built with oneDNN, and AVX-512 with VNNI", "simd-int8",
     [] { return OnednnNet::problem(Arithmetic::kInt8); },
     [](const Weights& weights, std::string label, int threads, bool small_calls) {
       return make_onednn_engine(weights, std::move(label), threads, /*int8=*/true, small_calls);
     },
     remark_on_ranges},
    {"simd", "cpu", 40, true, kNeedsHighway, "", SimdNet::problem,
     [](const Weights& weights, std::string label, int threads, bool) {
       return make_simd_engine(weights, std::move(label), threads, /*int8=*/false);
     }},
    {"simd-int8", "cpu", 0, false, kNeedsHighway, "onednn", SimdNet::problem,
     [](const Weights& weights, std::string label, int threads, bool) {
       return make_simd_engine(weights, std::move(label), threads, /*int8=*/true);
     },
     remark_on_ranges},
    {"cuda", "cuda", 5, false, "a program built with CUDA and a Hopper GPU", "",
     [] { return cuda_engine_available() ? nullptr : "the engine cuda does not run here"; },
     [](const Weights& weights, std::string label, int, bool) { return make_cuda_engine(weights, std::move(label)); }},
};

const EngineKind* find_engine(const std::string& name) {
  const auto* found =
      std::find_if(std::begin(kEngines), std::end(kEngines), [&](const auto& e) { return name == e.name; });
  return found == std::end(kEngines) ? nullptr : found;
}

}  // namespace

std::vector<std::string> engine_names() {
  std::vector<std::string> names;
  for (const EngineKind& kind : kEngines) {
    if (kind.problem() == nullptr) names.emplace_back(kind.name);
  }
  return names;
}

std::string default_engine() {
  const EngineKind* best = find_engine("reference");
  for (const EngineKind& kind : kEngines) {
    if (std::string(kind.device) == "cpu" && kind.problem() == nullptr && kind.preference > best->preference) {
      best = &kind;
    }
  }
  return best->name;
}

AvailableEngine engine_here(const std::string& name) {
  const EngineKind* kind = find_engine(name);
  if (kind != nullptr && kind->problem() == nullptr) return {name, ""};
  ADA_USAGE(kind != nullptr && std::string(kind->device) == "cpu", "engine = '{}', must be one of {}", name,
            fmt::join(engine_names(), ", "));
  const EngineKind* other = find_engine(kind->stand_in);
  if (other == nullptr || other->problem() != nullptr) other = find_engine(default_engine());
  return {other->name, fmt::format("{}; {} takes the place of {}", kind->problem(), other->name, name)};
}

std::unique_ptr<Engine> make_engine(const std::string& name, const Weights& weights, std::string label,
                                    const EngineOptions& options) {
  const EngineKind* kind = find_engine(name);
  ADA_USAGE(kind != nullptr && kind->problem() == nullptr, "engine = '{}', must be one of {}", name,
            fmt::join(engine_names(), ", "));
  const int threads = options.threads > 0 ? options.threads : thread_count();
  return kind->make(weights, std::move(label), threads, options.small_calls);
}

void register_engines() {
  const auto registered = [all = registered_descriptors()](const std::string& name) {  // by a user, who goes first
    return std::any_of(all.begin(), all.end(), [&](const DescriptorKind& kind) { return kind.name == name; });
  };
  for (const EngineKind& kind : kEngines) {
    if (registered(kind.name)) continue;
    register_descriptor(
        {.name = kind.name,
         .architecture = std::string(l2net().name),
         .devices = {kind.device},
         .preference = kind.preference,
         .exact = kind.exact,
         .needs = kind.needs,
         .stand_in = kind.stand_in,
         .problem = [&kind](const std::string&) { return std::string(kind.problem() ? kind.problem() : ""); },
         .make =
             [&kind](const Weights& weights, const std::string& label, const RunOptions& options) {
               return make_engine(kind.name, weights, label, {.threads = options.threads});
             },
         .remark = kind.remark,
         .any_network = kind.any_network});
  }
}

}  // namespace adasample
