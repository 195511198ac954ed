// SPDX-License-Identifier: Apache-2.0
// What a run was called with, as its checkpoints keep it, and what has changed since.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "adasample/cli/train/train_options.h"
#include "adasample/data/patch_store.h"
#include "adasample/train/run/run_folder.h"

namespace adasample {

// Everything a run was called with: its configuration (option -> value: all that decides what is learned but the data)
// and its environment (identities of the stores, device, threads, versions). `val` may be null.
RunDescription describe_run(const TrainOptionTable& table, const TrainOptions& options, const RunInputs& inputs,
                            const std::vector<const PatchStore*>& data, const PatchStore* val);

// Options and inputs as the run was called; throws Error for a configuration that this program cannot have written.
void restore_configuration(const nlohmann::json& configuration, const nlohmann::json& environment,
                           const TrainOptionTable& table, TrainOptions& options, RunInputs& inputs);

// What differs, a line each: "lambda 10 -> 5", "data s: patches 120 -> 130". How often checkpoints are written and how
// many are kept, and where a store lies, are free to change.
std::vector<std::string> configuration_changes(const nlohmann::json& before, const nlohmann::json& now);
std::vector<std::string> data_changes(const nlohmann::json& before, const nlohmann::json& now);
// Whether scores on --val can no longer be compared with those before.
bool val_changed(const nlohmann::json& before, const nlohmann::json& now);
// What does not change the run's meaning but its last bits: threads and the version of LibTorch.
std::vector<std::string> arithmetic_changes(const nlohmann::json& before, const nlohmann::json& now);

}  // namespace adasample
