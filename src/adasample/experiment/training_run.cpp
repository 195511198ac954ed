// SPDX-License-Identifier: Apache-2.0
#include "adasample/experiment/training_run.h"

#include <fmt/format.h>

#include "adasample/base/files/file_io.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/log.h"
#include "adasample/experiment/rank_agreement.h"
#include "adasample/experiment/run_changes.h"
#include "adasample/model/default_weights.h"
#include "adasample/report/html_report.h"
#include "adasample/train/device.h"
#include "adasample/train/run/checkpoint_bytes.h"

namespace adasample {
namespace {

RunPlan completed(RunPlan plan) {
  plan.complete();
  return plan;
}

std::optional<PatchStore> validation_store(const RunInputs& inputs, const PatchStores& data) {
  if (inputs.val.empty()) return std::nullopt;
  return open_validation_store(inputs.val, data);
}

// What other ranks than the first see of a run's figures: they are the same.
class NoSink : public MetricSink {
 public:
  void record(const MetricRecord&) override {}
};

RunDescription agreed(RunDescription description, Communicator* ranks) {
  if (ranks == nullptr) return description;
  check_ranks_agree(*ranks, description);
  if (!ranks->alone()) description.environment["ranks"] = ranks->size();
  return description;
}

// A run that goes on has its weights in its checkpoint.
std::optional<Weights> initial_weights(const RunInputs& inputs, bool new_run) {
  if (!new_run || inputs.init.empty()) return std::nullopt;
  return load_safetensors(weights_file(inputs.init));
}

}  // namespace

TrainingRun::TrainingRun(RunPlan plan, const OptionText& text, std::optional<RunFolder> reopened, Communicator* ranks)
    : ranks_(ranks),
      folder_(std::move(reopened)),
      plan_(completed(std::move(plan))),
      data_(plan_.inputs.data),
      val_(leads() ? validation_store(plan_.inputs, data_) : std::nullopt),
      description_(agreed(describe_run(plan_, text, data_.pointers(), val_ ? &*val_ : nullptr), ranks)),
      trainer_(plan_.options, data_.pointers(), initial_weights(plan_.inputs, leads() && !folder_), ranks) {}

bool TrainingRun::start(bool allow_changes) {
  bool goes_on = leads() && open(allow_changes);
  if (ranks_ == nullptr || ranks_->alone()) return goes_on;
  ranks_->broadcast(&goes_on, sizeof(goes_on));
  if (!goes_on) return false;
  const std::string from_there = broadcast_text(*ranks_, leads() ? pack_checkpoint(trainer_.checkpoint()) : "");
  if (leads()) return true;
  Checkpoint checkpoint = unpack_checkpoint(from_there);
  checkpoint.state.best_iteration = -1;  // rank 0 alone knows it
  trainer_.restore(checkpoint, std::nullopt);
  return true;
}

bool TrainingRun::open(bool allow_changes) {
  if (!folder_) {
    folder_ = RunFolder::create(plan_.inputs.out, std::move(description_), trainer_.checkpoint());
  } else if (!go_on(allow_changes)) {
    return false;
  }
  folder_->keep({plan_.options.keep_last, plan_.options.keep_every});
  if (val_) validation_.emplace(*val_);
  return true;
}

bool TrainingRun::go_on(bool allow_changes) {
  const CheckpointState& state = folder_->start().state;
  const int64_t total = plan_.options.total_iterations();
  std::vector<std::string> changes = allowed_changes(plan_.inputs.out, state, description_, allow_changes);
  if (is_complete(*folder_, total, !changes.empty())) return false;
  for (const std::string& change : score_changes(state.environment, description_.environment)) {
    changes.push_back(change);
  }
  record_changes(changes, state, description_);
  if (val_changed(state.environment, description_.environment)) folder_->forget_best();
  trainer_.restore(folder_->start(), folder_->best());
  folder_->go_on(std::move(description_));
  log_info("going on at iteration {} of {}", state.iteration, total);
  return true;
}

TrainResult TrainingRun::train(const std::string& title) {
  const LongGoodbye until_saved;
  TrainResult result = leads() ? lead(title) : follow();
  if (ranks_ != nullptr) barrier(*ranks_);  // nobody has succeeded until what was learned is written
  return result;
}

TrainResult TrainingRun::follow() {
  NoSink sink;
  TrainHooks hooks;
  hooks.stop = stop_requested;
  return trainer_.run(sink, hooks);
}

TrainResult TrainingRun::lead(const std::string& title) {
  const TrainOptions& options = plan_.options;
  const int64_t done = folder_->is_resumed() ? folder_->start().state.iteration : 0;
  progress_.emplace(title, "pairs", (options.total_iterations() - done) * options.batch);
  TrainHooks hooks;
  hooks.stop = [&] {
    folder_->check();
    return stop_requested();
  };
  hooks.tick = [&](int64_t, double loss) { progress_->add(options.batch, fmt::format("loss {:.3f}", loss)); };
  hooks.save = [&](Checkpoint checkpoint) { folder_->save_checkpoint(std::move(checkpoint)); };
  if (validation_) hooks.evaluate = [&](Descriptor& descriptor) { return validation_->score(descriptor); };
  TrainResult result = trainer_.run(folder_->metrics(), hooks);
  if (validation_ && result.end == TrainResult::End::kComplete) {
    write_curves(validation_->curves(*make_descriptor(result.weights, "validation", options.device)));
  }
  folder_->save(result, options.weights_metadata());
  return result;
}

void TrainingRun::write_curves(const std::string& curves) const {
  write_file_atomically(path() / "curves.json", curves);
}

void TrainingRun::write_report() const { write_run_report(path()); }

}  // namespace adasample
