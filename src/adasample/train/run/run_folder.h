// SPDX-License-Identifier: Apache-2.0
// A run on disk:
//   config.toml, run.json          how it was called; data fingerprints, device, threads, versions
//   metrics.jsonl, snapshots.jsonl a line an iteration; a closer look now and then
//   events.out.tfevents..          the same for TensorBoard, see event_file_sink.h
//   checkpoints/                   see checkpoint_store.h
//   model.safetensors, best.safetensors, result.json   when it ends: the last weights, the best on validation data
// The folder appears with its first checkpoint in it, so any run folder can be resumed, whenever its process died.
// One process at a time: the second is refused.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "adasample/base/files/folder_lock.h"
#include "adasample/model/checkpoint.h"
#include "adasample/train/run/checkpoint_store.h"
#include "adasample/train/run/result.h"
#include "adasample/train/run/run_log.h"

namespace adasample {

// What a run was called with.
struct RunDescription {
  std::string config_toml;
  nlohmann::json configuration = nlohmann::json::object();  // option -> value: what must not change unnoticed
  nlohmann::json environment = nlohmann::json::object();    // run.json
};

class RunFolder {
 public:
  // Makes the folder, with `first` as its first checkpoint; throws Error when it exists.
  static RunFolder create(const std::filesystem::path& folder, RunDescription description, Checkpoint first);
  // Opens one to go on. Throws Error when it is no run folder, is in use, or holds no checkpoint that can be read.
  static RunFolder reopen(const std::filesystem::path& folder);

  // Of a reopened folder: where to go on, the best weights so far, and how it ended, if it did.
  bool is_resumed() const { return start_.has_value(); }
  const Checkpoint& start() const { return *start_; }
  std::optional<Weights> best();                            // none, with a warning, where its checkpoint is damaged
  void forget_best();                                       // scores from here on cannot be compared with those before
  const nlohmann::json& result() const { return result_; }  // null: it did not end

  // Takes the logs back to where they stood at start(), so that no line is missing and none is there twice. From here
  // on the folder is written to; `description` replaces what the run was called with.
  void go_on(RunDescription description);

  // Which checkpoints to keep from now on.
  void keep(const KeepOptions& options) { checkpoints_->keep(options); }

  MetricSink& metrics() { return *log_; }
  const std::filesystem::path& path() const { return folder_; }

  // Writes in the background; throws what went wrong with the one before.
  void save_checkpoint(Checkpoint checkpoint);
  // Throws what went wrong in the background; does not wait.
  void check() { checkpoints_->check(); }

  // Waits for the checkpoints, then writes weights, with `metadata` in them, and result.json; every file complete or
  // absent.
  void save(const TrainResult& result, const std::map<std::string, std::string>& metadata);

 private:
  RunFolder(const std::filesystem::path& folder, FolderLock lock);

  std::filesystem::path folder_;
  FolderLock lock_;
  std::unique_ptr<CheckpointStore> checkpoints_;
  std::unique_ptr<RunLog> log_;
  RunDescription description_;
  std::optional<Checkpoint> start_;
  nlohmann::json result_;
};

nlohmann::ordered_json result_json(const TrainResult& result);

}  // namespace adasample
