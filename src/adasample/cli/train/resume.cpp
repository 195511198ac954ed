// SPDX-License-Identifier: Apache-2.0
#include "adasample/cli/train/resume.h"

#include <set>

#include "adasample/base/error.h"
#include "adasample/base/parallel.h"
#include "adasample/data/store/store_identity.h"
#include "adasample/engine/engine.h"
#include "adasample/model/layer_table.h"
#include "adasample/train/device.h"

namespace adasample {
namespace {

using nlohmann::json;

const std::set<std::string> kFree = {"checkpoint-minutes", "checkpoint-every", "keep-last", "keep-every",
                                     "gpu-gigabytes"};

std::string shown(const json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

json value_or_null(const json& object, const std::string& key) {
  return object.is_object() && object.contains(key) ? object.at(key) : json();
}

json run_configuration(const TrainOptionTable& table, const TrainOptions& options, const RunInputs& inputs) {
  json configuration = table.values(options);
  configuration["seed"] = std::to_string(options.seed);
  configuration["device"] = options.device;
  configuration["init"] = inputs.init;
  configuration["share"] = inputs.share;
  return configuration;
}

json run_environment(const TrainOptions& options, const std::vector<const PatchStore*>& data, const PatchStore* val) {
  json stores = json::array();
  for (const PatchStore* store : data) stores.push_back(store_identity(*store));
  json environment = {{"data", stores},
                      {"threads", thread_count()},
                      {"device", options.device},
                      {"torch", torch_version()},
                      {"architecture", std::string(l2net().name)}};
  if (options.device == "cuda") environment["gpu"] = gpu_name();
  if (options.device == "cpu" && options.sampling_engine != "torch") {
    environment["engine"] = engine_here(options.sampling_engine).name;  // the one that runs
  }
  if (val != nullptr) environment["val"] = store_identity(*val);
  return environment;
}

}  // namespace

RunDescription describe_run(const TrainOptionTable& table, const TrainOptions& options, const RunInputs& inputs,
                            const std::vector<const PatchStore*>& data, const PatchStore* val) {
  return {run_config(table, options, inputs), run_configuration(table, options, inputs),
          run_environment(options, data, val)};
}

void restore_configuration(const json& configuration, const json& environment, const TrainOptionTable& table,
                           TrainOptions& options, RunInputs& inputs) {
  try {
    for (const auto& [name, value] : configuration.items()) {
      if (name == "seed") {
        options.seed = std::stoull(value.get<std::string>());
      } else if (name == "device") {
        options.device = value.get<std::string>();
      } else if (name == "init") {
        inputs.init = value.get<std::string>();
      } else if (name == "share") {
        inputs.share = value.get<std::vector<double>>();
      } else {
        ADA_CHECK(table.set(options, name, value.get<std::string>()), "[run] its checkpoint says {} = {}", name,
                  value.dump());
      }
    }
    inputs.data.clear();
    for (const json& store : environment.at("data")) inputs.data.push_back(store.at("path"));
    if (environment.contains("val")) inputs.val = environment.at("val").at("path");
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {  // of nlohmann-json or std::stoull: somebody edited the checkpoint
    ADA_THROW("[run] its checkpoint's configuration is not one that this program writes: {}", error.what());
  }
}

std::vector<std::string> configuration_changes(const json& before, const json& now) {
  std::vector<std::string> changes;
  for (const auto& [name, value] : now.items()) {
    if (kFree.contains(name) || value_or_null(before, name) == value) continue;
    changes.push_back(fmt::format("{} {} -> {}", name, shown(value_or_null(before, name)), shown(value)));
  }
  return changes;
}

std::vector<std::string> data_changes(const json& before, const json& now) {
  std::vector<std::string> changes;
  const json &old_data = value_or_null(before, "data"), &new_data = now.at("data");
  if (!old_data.is_array() || old_data.size() != new_data.size()) {
    changes.push_back(fmt::format("{} stores -> {}", old_data.is_array() ? old_data.size() : 0, new_data.size()));
    return changes;
  }
  const auto compare = [&](const char* what, const json& old_store, const json& new_store) {
    for (const std::string& difference : identity_differences(old_store, new_store)) {
      changes.push_back(fmt::format("{} {}: {}", what, shown(value_or_null(new_store, "path")), difference));
    }
  };
  for (size_t i = 0; i < new_data.size(); ++i) compare("data", old_data[i], new_data[i]);
  const json old_val = value_or_null(before, "val"), new_val = value_or_null(now, "val");
  if (old_val.is_null() != new_val.is_null()) {
    changes.push_back(old_val.is_null() ? "validation where there was none" : "no validation where there was one");
  } else if (!new_val.is_null()) {
    compare("val", old_val, new_val);
  }
  if (value_or_null(before, "architecture") != now.at("architecture")) {
    changes.push_back(fmt::format("architecture {} -> {}", shown(value_or_null(before, "architecture")),
                                  shown(now.at("architecture"))));
  }
  return changes;
}

bool val_changed(const json& before, const json& now) {
  const json old_val = value_or_null(before, "val"), new_val = value_or_null(now, "val");
  if (old_val.is_null() || new_val.is_null()) return old_val.is_null() != new_val.is_null();
  return !identity_differences(old_val, new_val).empty();
}

std::vector<std::string> arithmetic_changes(const json& before, const json& now) {
  std::vector<std::string> changes;
  for (const char* key : {"threads", "torch", "gpu", "engine"}) {
    const json old_value = value_or_null(before, key), new_value = value_or_null(now, key);
    if (old_value != new_value) changes.push_back(fmt::format("{} {} -> {}", key, shown(old_value), shown(new_value)));
  }
  return changes;
}

}  // namespace adasample
