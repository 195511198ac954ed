// SPDX-License-Identifier: Apache-2.0
#include "adasample/experiment/run_plan.h"

#include <nlohmann/json.hpp>

#include "adasample/base/error.h"
#include "adasample/base/parallel.h"
#include "adasample/data/store/store_identity.h"
#include "adasample/engine/engine.h"
#include "adasample/experiment/validation.h"
#include "adasample/model/layer_table.h"
#include "adasample/train/device.h"
#include "adasample/train/pass/kernels.h"

namespace adasample {
namespace {

using nlohmann::json;

json configuration_of(const RunPlan& plan, const OptionText& text) {
  json configuration = text.values(plan.options);
  configuration["seed"] = std::to_string(plan.options.seed);
  configuration["device"] = plan.options.device;
  configuration["init"] = plan.inputs.init;
  configuration["share"] = plan.inputs.share;
  return configuration;
}

json environment_of(const TrainOptions& options, const std::vector<const PatchStore*>& data, const PatchStore* val) {
  json stores = json::array();
  for (const PatchStore* store : data) stores.push_back(store_identity(*store));
  json environment = {{"data", stores},
                      {"threads", thread_count()},
                      {"device", options.device},
                      {"torch", torch_version()},
                      {"architecture", options.network}};
  if (options.device == "cuda") environment["gpu"] = gpu_name();
  const bool own_kernels = options.device == "cpu" && options.network == l2net().name;
  if (own_kernels && options.sampling_engine != "torch") {
    environment["engine"] = engine_here(options.sampling_engine).name;  // the one that runs
  }
  if (own_kernels && options.training_engine == "simd") {
    environment["instructions"] = pass::to_string(pass::machine_here());
  }
  if (options.ordered_shards() > 0) environment["ordered_sums"] = true;
  if (val != nullptr) {
    environment["val"] = store_identity(*val);
    environment["val_score"] = find_network(options.network).metric.empty() ? kValidationScore : kMetricValidationScore;
  }
  return environment;
}

}  // namespace

void RunPlan::complete() {
  options.shares = inputs.share;
  options.validate();
  ADA_USAGE(inputs.share.empty() || inputs.share.size() == inputs.data.size(),
            "--share is given {} times, expected once a --data, {}", inputs.share.size(), inputs.data.size());
}

RunDescription describe_run(const RunPlan& plan, const OptionText& text, const std::vector<const PatchStore*>& data,
                            const PatchStore* val) {
  return {text.config(plan), configuration_of(plan, text), environment_of(plan.options, data, val)};
}

RunPlan restore_plan(const json& configuration, const json& environment, const OptionText& text) {
  RunPlan plan;
  TrainOptions& options = plan.options;
  RunInputs& inputs = plan.inputs;
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
        ADA_CHECK(text.set(options, name, value.get<std::string>()), "[run] its checkpoint says {} = {}", name,
                  value.dump());
      }
    }
    for (const json& store : environment.at("data")) inputs.data.push_back(store.at("path"));
    if (environment.contains("val")) inputs.val = environment.at("val").at("path");
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {  // of nlohmann-json or std::stoull: somebody edited the checkpoint
    ADA_THROW("[run] its checkpoint's configuration is not one that this program writes: {}", error.what());
  }
  return plan;
}

}  // namespace adasample
