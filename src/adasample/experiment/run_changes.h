// SPDX-License-Identifier: Apache-2.0
// A run that goes on: what differs from what it was begun with, what of that is refused, and what is kept of it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "adasample/train/run/run_folder.h"

namespace adasample {

// What differs, a line each: "lambda 10 -> 5", "data s: patches 120 -> 130". How often checkpoints are written and how
// many are kept, and where a store lies, are free to change.
std::vector<std::string> configuration_changes(const nlohmann::json& before, const nlohmann::json& now);
std::vector<std::string> data_changes(const nlohmann::json& before, const nlohmann::json& now);
// Where both have a --val but this program scores it otherwise than the one that began the run. No choice of the
// caller, so nothing that needs leave.
std::vector<std::string> score_changes(const nlohmann::json& before, const nlohmann::json& now);
// Whether scores on --val can no longer be compared with those before: another store, or another score.
bool val_changed(const nlohmann::json& before, const nlohmann::json& now);
// What does not change the run's meaning but its last bits: threads and the version of LibTorch.
std::vector<std::string> arithmetic_changes(const nlohmann::json& before, const nlohmann::json& now);

// The first two of the run in `out` whose last checkpoint has `state`. Throws Error when there are some and they are
// not allowed.
std::vector<std::string> allowed_changes(const std::string& out, const CheckpointState& state,
                                         const RunDescription& now, bool allowed);
// Says what is changed, and keeps it with the run.
void record_changes(const std::vector<std::string>& changes, const CheckpointState& state, RunDescription& now);

// Whether a reopened run has done all of its `total` iterations and has nothing left to do. Throws Error for one that
// cannot go on: it has done more already, is complete though something is `changed`, or broke down and would again.
bool is_complete(const RunFolder& run, int64_t total, bool changed);

}  // namespace adasample
