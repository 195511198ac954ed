// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/run/run_folder.h"

#include <fmt/format.h>

#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/base/json.h"
#include "adasample/base/log.h"
#include "adasample/base/text.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCheckpoints = "checkpoints";
constexpr const char* kResult = "result.json";

void write_description(const fs::path& folder, const RunDescription& description) {
  write_file_atomically(folder / "config.toml", description.config_toml);
  const auto replace = nlohmann::json::error_handler_t::replace;
  write_file_atomically(folder / "run.json", description.environment.dump(2, ' ', false, replace) + "\n");
}

// result.json of a run that ended; null where it did not, or where what is there is no longer JSON.
nlohmann::json read_result(const fs::path& folder) {
  if (!fs::exists(folder / kResult)) return nullptr;
  return try_parse_json(read_text(folder / kResult, kMostJson)).value_or(nullptr);
}

// Cuts a log to the length it had at a checkpoint.
void cut_log(const fs::path& path, uint64_t bytes) {
  std::error_code error;
  const uint64_t size = fs::file_size(path, error);
  ADA_CHECK(!error, "[run] {}: cannot be read: {}", path.string(), error.message());
  ADA_CHECK(size >= bytes, "[run] {}: has {} bytes, but {} were written before the checkpoint - restore it from a copy",
            path.string(), size, bytes);
  fs::resize_file(path, bytes, error);
  ADA_CHECK(!error, "[run] {}: cannot be cut to {} bytes: {}", path.string(), bytes, error.message());
  sync_path(path);
}

}  // namespace

RunFolder::RunFolder(const fs::path& folder, FolderLock lock)
    : folder_(folder), lock_(std::move(lock)), checkpoints_(std::make_unique<CheckpointStore>(folder / kCheckpoints)) {}

RunFolder RunFolder::create(const fs::path& folder, RunDescription description, Checkpoint first) {
  StagedFolder staged(folder);
  write_description(staged.work(), description);
  for (const std::string& name : RunLog::file_names()) {
    FileWriter(staged.work() / name).close();
    first.state.log_bytes[name] = 0;
  }
  first.state.configuration = description.configuration;
  first.state.environment = description.environment;
  FolderLock lock(staged.work());
  write_checkpoint(first, CheckpointStore(staged.work() / kCheckpoints).path_of(0));
  staged.commit();

  RunFolder run(folder, std::move(lock));
  run.description_ = std::move(description);
  run.log_ = std::make_unique<RunLog>(folder);
  return run;
}

RunFolder RunFolder::reopen(const fs::path& folder) {
  ADA_CHECK(fs::is_directory(folder / kCheckpoints), "[run] {}: is no run folder: there is no {} in it",
            folder.string(), kCheckpoints);
  RunFolder run(folder, FolderLock(folder));
  run.start_ = run.checkpoints_->newest();
  ADA_CHECK(run.start_, "[run] {}: holds no checkpoint that can be read - begin anew under another name",
            folder.string());
  run.result_ = read_result(folder);
  return run;
}

std::optional<Weights> RunFolder::best() {
  const int64_t iteration = start_->state.best_iteration;
  if (iteration < 0) return std::nullopt;
  if (iteration == start_->state.iteration) return start_->weights();
  if (const auto damage = checkpoint_damage(checkpoints_->path_of(iteration))) {
    log_warning("[run] {}; the best weights so far are lost, the next evaluation counts as the best", *damage);
    forget_best();
    return std::nullopt;
  }
  return checkpoints_->read(iteration).weights();
}

void RunFolder::forget_best() {
  start_->state.best_iteration = -1;
  start_->state.best_score = 0;
}

void RunFolder::go_on(RunDescription description) {
  for (const std::string& name : RunLog::file_names()) {
    const auto bytes = start_->state.log_bytes.find(name);
    if (name == EventFileSink::kFile) {  // begun before there was one, or removed: nothing that a run depends on
      std::error_code gone;
      const uint64_t size = fs::file_size(folder_ / name, gone);
      if (gone || bytes == start_->state.log_bytes.end() || size < bytes->second) {
        FileWriter(folder_ / name).close();
        continue;
      }
    }
    ADA_CHECK(bytes != start_->state.log_bytes.end(), "[run] {}: its checkpoint does not say how long {} was",
              folder_.string(), name);
    cut_log(folder_ / name, bytes->second);
  }
  description_ = std::move(description);
  // What is called otherwise from here on must be so in the checkpoint too, lest the next resumption undo it.
  CheckpointState& state = start_->state;
  if (state.configuration != description_.configuration || state.environment != description_.environment) {
    state.configuration = description_.configuration;
    state.environment = description_.environment;
    checkpoints_->write(*start_, [] {});
    checkpoints_->wait();
  }
  write_description(folder_, description_);
  for (const char* name : {kResult, "curves.json"}) {  // it has not ended
    std::error_code error;
    fs::remove(folder_ / name, error);
    ADA_CHECK(!error, "[run] {}: cannot be removed: {}", (folder_ / name).string(), error.message());
  }
  log_ = std::make_unique<RunLog>(folder_);
}

void RunFolder::save_checkpoint(Checkpoint checkpoint) {
  log_->flush();
  checkpoint.state.log_bytes = log_->sizes();
  checkpoint.state.configuration = description_.configuration;
  checkpoint.state.environment = description_.environment;
  // A checkpoint counts on its lines: they must survive a power cut before it does.
  checkpoints_->write(std::move(checkpoint), [folder = folder_] {
    for (const std::string& name : RunLog::file_names()) sync_path(folder / name);
  });
}

std::string_view to_string(TrainResult::End end) {
  switch (end) {
    case TrainResult::End::kComplete:
      return "complete";
    case TrainResult::End::kStopped:
      return "stopped";
    case TrainResult::End::kCollapsed:
      return "collapsed";
    case TrainResult::End::kNotFinite:
      return "not finite";
  }
  ADA_THROW_KIND(kBug, "unknown TrainResult::End");
}

TrainResult::End parse_end(std::string_view name) {
  using End = TrainResult::End;
  for (const End end : {End::kComplete, End::kStopped, End::kCollapsed, End::kNotFinite}) {
    if (to_string(end) == name) return end;
  }
  ADA_THROW("[run] a run cannot end as '{}'", name);
}

nlohmann::ordered_json result_json(const TrainResult& result) {
  nlohmann::ordered_json json = {{"end", to_string(result.end)},
                                 {"iterations", result.iterations},
                                 {"pairs", result.pairs},
                                 {"seconds", result.seconds},
                                 {"pairs_per_s", result.seconds > 0 ? result.pairs / result.seconds : 0.0}};
  if (!result.reason.empty()) json["reason"] = result.reason;
  if (result.best) json["best_val_score"] = result.best_score;
  for (const TrainResult::Rank& rank : result.ranks) {
    json["ranks"].push_back({{"place", rank.place}, {"waited_s", rank.waited}});
  }
  if (!result.ranks.empty()) json["sent_bytes"] = result.sent;
  return json;
}

void RunFolder::save(const TrainResult& result, const std::map<std::string, std::string>& metadata) {
  log_->flush();
  checkpoints_->wait();
  const auto describe = [&](Weights weights) {
    for (const auto& [key, value] : metadata) weights.metadata[key] = value;
    weights.metadata["pairs"] = std::to_string(result.pairs);
    // Metadata must be UTF-8, and a path may be anything: no run is lost over it.
    weights.metadata["training"] = as_utf8(description_.config_toml);
    return weights;
  };
  save_safetensors(describe(result.weights), folder_ / "model.safetensors");
  if (result.best) save_safetensors(describe(*result.best), folder_ / "best.safetensors");
  write_file_atomically(folder_ / kResult, result_json(result).dump(2) + "\n");
}

}  // namespace adasample
