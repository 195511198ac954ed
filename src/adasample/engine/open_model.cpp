// SPDX-License-Identifier: Apache-2.0
#include "adasample/engine/open_model.h"

#include <algorithm>
#include <filesystem>
#include <mutex>

#include "adasample/base/error.h"
#include "adasample/engine/register_engines.h"
#include "adasample/model/calibration.h"
#include "adasample/model/default_weights.h"

namespace adasample {
namespace {

using Kinds = std::vector<DescriptorKind>;

Kinds all_kinds() {
  static std::once_flag once;
  std::call_once(once, register_engines);
  return registered_descriptors();
}

const DescriptorKind* find_kind(std::span<const DescriptorKind> kinds, const std::string& name) {
  const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const auto& kind) { return kind.name == name; });
  return found == kinds.end() ? nullptr : &*found;
}

bool may_run_on(const DescriptorKind& kind, const std::string& device) {
  return std::find(kind.devices.begin(), kind.devices.end(), device) != kind.devices.end();
}

bool runs_on(const DescriptorKind& kind, const std::string& device) {
  return may_run_on(kind, device) && kind.problem(device).empty();
}

bool runs_here(const DescriptorKind& kind) {
  return std::any_of(kind.devices.begin(), kind.devices.end(),
                     [&](const auto& device) { return runs_on(kind, device); });
}

bool runs_weights_of(const DescriptorKind& kind, const std::string& architecture) {
  return kind.architecture == architecture || (kind.any_network && is_network(architecture));
}

// Those that run weights of the architecture, the preferred ones first.
std::vector<const DescriptorKind*> candidates(const std::string& architecture, std::span<const DescriptorKind> kinds) {
  std::vector<const DescriptorKind*> found;
  for (const DescriptorKind& kind : kinds) {
    if (runs_weights_of(kind, architecture)) found.push_back(&kind);
  }
  std::stable_sort(found.begin(), found.end(), [](auto* a, auto* b) { return a->preference > b->preference; });
  return found;
}

EngineChoice preferred(const std::string& device, const std::vector<const DescriptorKind*>& all) {
  std::string where = device;
  if (device == "auto") {
    const bool gpu = std::any_of(all.begin(), all.end(), [](auto* kind) {
      return kind->preference > 0 && kind->exact && runs_on(*kind, "cuda");
    });
    where = gpu ? "cuda" : "cpu";
  }
  std::string problem;
  for (const DescriptorKind* kind : all) {
    if (kind->preference <= 0 || !may_run_on(*kind, where)) continue;
    const std::string why_not = kind->problem(where);
    if (why_not.empty()) return {kind->name, where};
    if (problem.empty()) problem = why_not;
  }
  ADA_THROW("--device {}: {} - use --device cpu", where, problem.empty() ? "nothing here runs on it" : problem);
}

EngineChoice named(const std::string& engine, const std::string& device, const std::string& architecture,
                   std::span<const DescriptorKind> kinds) {
  std::vector<std::string> here;
  for (const DescriptorKind& kind : kinds) {
    if (runs_weights_of(kind, architecture) && runs_here(kind)) here.push_back(kind.name);
  }
  const DescriptorKind* kind = find_kind(kinds, engine);
  ADA_USAGE(kind != nullptr && !kind->architecture.empty(), "engine = '{}', must be one of {}", engine,
            fmt::join(here, ", "));
  if (!runs_weights_of(*kind, architecture)) {  // made for one network; another is run all the same
    EngineChoice other = preferred(device, candidates(architecture, kinds));
    other.note = fmt::format("[engine] {} runs {} only; {} takes its place for {}", engine, kind->architecture,
                             other.engine, architecture);
    return other;
  }
  const bool anywhere = kind->devices.size() > 1;
  const std::string& only = kind->devices.front();
  ADA_USAGE(anywhere || device == "auto" || device == only,
            "--engine {} runs on a {}, --device {} asks for another - leave one of the two out", engine,
            only == "cuda" ? "GPU" : "CPU", device);
  const std::string where = !anywhere ? only : device != "auto" ? device : runs_on(*kind, "cuda") ? "cuda" : "cpu";
  const std::string problem = kind->problem(where);
  if (problem.empty()) return {engine, where};
  ADA_CHECK(!anywhere || where == "cpu", "--device {}: {} - use --device cpu", where, problem);
  const DescriptorKind* other = find_kind(kinds, kind->stand_in);
  if (other != nullptr && runs_on(*other, where)) {
    return {other->name, where, fmt::format("[engine] {}; {} takes its place", problem, other->name)};
  }
  ADA_THROW_KIND(kUsage, "--engine {}: it needs {}; this program on this machine has {}", engine, kind->needs,
                 fmt::join(here, ", "));
}

// Weights that say nothing, or something unknown, are taken for those of our own network, whose engines then look.
std::string architecture_of(const Weights& weights) {
  const auto found = weights.metadata.find("architecture");
  const Kinds kinds = all_kinds();
  const bool known = found != weights.metadata.end() &&
                     std::any_of(kinds.begin(), kinds.end(),
                                 [&](const DescriptorKind& kind) { return runs_weights_of(kind, found->second); });
  return known ? found->second : std::string(l2net().name);
}

}  // namespace

std::vector<std::string> engine_choices() {
  std::vector<std::string> names = {"auto"};
  for (const DescriptorKind& kind : all_kinds()) {
    if (kind.architecture == l2net().name) names.push_back(kind.name);
  }
  return names;
}

std::vector<std::string> engines_here() {
  std::vector<std::string> names;
  for (const DescriptorKind& kind : all_kinds()) {
    if (kind.architecture == l2net().name && runs_here(kind)) names.push_back(kind.name);
  }
  return names;
}

EngineChoice choose_engine(const std::string& engine, const std::string& device, const std::string& architecture,
                           std::span<const DescriptorKind> kinds) {
  ADA_USAGE(device == "auto" || device == "cpu" || device == "cuda", "device = '{}', must be auto, cpu or cuda",
            device);
  const std::vector<const DescriptorKind*> all = candidates(architecture, kinds);
  return engine == "auto" ? preferred(device, all) : named(engine, device, architecture, kinds);
}

EngineChoice choose_engine(const std::string& engine, const std::string& device) {
  return choose_engine(engine, device, std::string(l2net().name), all_kinds());
}

OpenedModel run_weights(const Weights& weights, const std::string& label, const EngineChoice& choice, int threads) {
  const Kinds kinds = all_kinds();
  const DescriptorKind* kind = find_kind(kinds, choice.engine);
  ADA_USAGE(kind != nullptr && !kind->architecture.empty(), "engine = '{}', must be one of {}", choice.engine,
            fmt::join(engines_here(), ", "));
  OpenedModel opened{.model = label, .engine = choice.engine, .file = "", .descriptor = {}, .warnings = {}};
  if (!choice.note.empty()) opened.warnings.push_back(choice.note);
  if (const std::string remark = kind->remark ? kind->remark(weights) : ""; !remark.empty()) {
    opened.warnings.push_back(fmt::format("{}: {}", label, remark));
  }
  opened.descriptor = kind->make(weights, label, {.device = choice.device, .threads = threads});
  return opened;
}

OpenedModel open_weights(const Weights& weights, const std::string& label, const ModelOptions& options) {
  const std::string architecture = architecture_of(weights);
  const Kinds kinds = all_kinds();
  return run_weights(weights, label, choose_engine(options.engine, options.device, architecture, kinds),
                     options.threads);
}

OpenedModel open_model(const std::string& model, const ModelOptions& options) {
  const Kinds kinds = all_kinds();
  const DescriptorKind* kind = find_kind(kinds, model);
  if (kind != nullptr && kind->architecture.empty()) {
    const std::string& device = kind->devices.front();
    ADA_CHECK(kind->problem(device).empty(), "{}", kind->problem(device));
    return {.model = model,
            .engine = kind->engine.empty() ? kind->name : kind->engine,
            .file = "",
            .descriptor = kind->make({}, model, {.device = device, .threads = options.threads}),
            .warnings = {}};
  }
  std::vector<std::string> names = shipped_weights();
  if (std::find(names.begin(), names.end(), model) == names.end() && !std::filesystem::exists(model)) {
    for (const DescriptorKind& other : kinds) {
      if (other.architecture.empty()) names.push_back(other.name);
    }
    ADA_THROW("[model] {}: no such weights file or run folder; names that are known here: {}", model,
              fmt::join(names, ", "));
  }
  const std::string file = weights_file(model);
  OpenedModel opened = open_weights(load_safetensors(file), file, options);
  opened.model = model;
  opened.file = file;
  return opened;
}

}  // namespace adasample
