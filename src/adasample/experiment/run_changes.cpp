// SPDX-License-Identifier: Apache-2.0
#include "adasample/experiment/run_changes.h"

#include <set>

#include "adasample/base/error.h"
#include "adasample/base/log.h"
#include "adasample/data/store/store_identity.h"

namespace adasample {
namespace {

using nlohmann::json;

const std::set<std::string> kFree = {"checkpoint-minutes", "checkpoint-every", "keep-last", "keep-every",
                                     "gpu-gigabytes"};

std::string shown(const json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

json value_or_null(const json& object, const std::string& key) {
  return object.is_object() && object.contains(key) ? object.at(key) : json();
}

}  // namespace

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
  return !identity_differences(old_val, new_val).empty() || !score_changes(before, now).empty();
}

std::vector<std::string> score_changes(const json& before, const json& now) {
  if (value_or_null(before, "val").is_null() || value_or_null(now, "val").is_null()) return {};
  const json old_score = value_or_null(before, "val_score"), new_score = value_or_null(now, "val_score");
  if (old_score == new_score) return {};
  return {fmt::format("the score on --val was {}, is {}; the best so far is forgotten",
                      old_score.is_null() ? "FPR95 of 5000 pairs of each kind" : shown(old_score), shown(new_score))};
}

std::vector<std::string> arithmetic_changes(const json& before, const json& now) {
  std::vector<std::string> changes;
  for (const char* key : {"threads", "torch", "gpu", "engine", "instructions"}) {
    const json old_value = value_or_null(before, key), new_value = value_or_null(now, key);
    if (old_value != new_value) changes.push_back(fmt::format("{} {} -> {}", key, shown(old_value), shown(new_value)));
  }
  if (now.value("ordered_sums", false)) return changes;  // in any number of processes alike
  const json old_ranks = before.value("ranks", json(1)), new_ranks = now.value("ranks", json(1));
  if (old_ranks != new_ranks) changes.push_back(fmt::format("ranks {} -> {}", shown(old_ranks), shown(new_ranks)));
  return changes;
}

std::vector<std::string> allowed_changes(const std::string& out, const CheckpointState& state,
                                         const RunDescription& now, bool allowed) {
  std::vector<std::string> changes = configuration_changes(state.configuration, now.configuration);
  for (const std::string& change : data_changes(state.environment, now.environment)) changes.push_back(change);
  ADA_CHECK(changes.empty() || allowed,
            "[train] {}: not the run that was begun: {} - leave them as they were, or go on with --allow-changes", out,
            fmt::join(changes, "; "));
  return changes;
}

void record_changes(const std::vector<std::string>& changes, const CheckpointState& state, RunDescription& now) {
  json recorded = state.environment.value("changes", json::array());
  ADA_CHECK(recorded.is_array(), "[run] its checkpoint's changes are no list");
  if (!changes.empty()) {
    log_warning("changed at iteration {}: {}", state.iteration, fmt::join(changes, "; "));
    recorded.push_back({{"iteration", state.iteration}, {"what", changes}});
  }
  if (!recorded.empty()) now.environment["changes"] = recorded;
  for (const std::string& change : arithmetic_changes(state.environment, now.environment)) {
    log_warning("{}: the run goes on, but not bit for bit as it would have", change);
  }
}

bool is_complete(const RunFolder& run, int64_t total, bool changed) {
  const int64_t done = run.start().state.iteration;
  ADA_USAGE(total >= done, "iterations = {}: the run has done {} already", total, done);
  const json& result = run.result();
  if (!result.is_object()) return false;
  const auto text = [&](const char* key) {
    const json value = value_or_null(result, key);
    return value.is_string() ? value.get<std::string>() : std::string();
  };
  const std::string folder = run.path().string(), end = text("end");
  if (end == to_string(TrainResult::End::kComplete) && done == total) {
    ADA_CHECK(!changed, "[train] {}: is complete; only more --iterations or --epochs would go on with it", folder);
    return true;
  }
  const bool broke_down =
      end == to_string(TrainResult::End::kCollapsed) || end == to_string(TrainResult::End::kNotFinite);
  ADA_CHECK(!broke_down || changed, "[train] {}: broke down and would again: {} (with --allow-changes)", folder,
            text("reason"));
  return false;
}

}  // namespace adasample
