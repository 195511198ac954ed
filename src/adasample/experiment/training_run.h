// SPDX-License-Identifier: Apache-2.0
// One training run from its plan to its report: stores, trainer, run folder and validation, put together.
//   TrainingRun run(plan, text);  run.start();  run.train("training");  run.write_report();
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "adasample/base/progress.h"
#include "adasample/data/store/patch_stores.h"
#include "adasample/experiment/run_plan.h"
#include "adasample/experiment/validation.h"
#include "adasample/train/distributed/communicator.h"
#include "adasample/train/run/run_folder.h"
#include "adasample/train/trainer.h"

namespace adasample {

class TrainingRun {
 public:
  // Opens the stores and makes the trainer, for a new run in plan.inputs.out or for the run whose folder was reopened.
  // Writes nothing. Throws Error where options, stores or weights do not fit. `text` is not kept. `ranks`: the
  // processes that train together, which must outlive this object; null: this one alone. Each has the same plan, or all
  // throw. The folder, the validation and everything that is shown or written are rank 0's; all begin with its weights.
  TrainingRun(RunPlan plan, const OptionText& text, std::optional<RunFolder> reopened = std::nullopt,
              Communicator* ranks = nullptr);

  // Makes the folder, or goes on in the reopened one, where `allow_changes` says whether the plan may differ from what
  // the run was begun with. False: that run is complete, there is nothing left to train.
  bool start(bool allow_changes = false);

  // To the end of the plan, or until stop_requested(); saves the weights, the result and, when it is complete, the
  // curves of the validation. Once, after start(). The progress bar, called `title`, ends with this object.
  TrainResult train(const std::string& title);

  // curves.json, and the page about the run.
  void write_curves(const std::string& curves) const;
  void write_report() const;

  // After start(), on rank 0.
  const RunFolder& folder() const { return *folder_; }
  const std::filesystem::path& path() const { return folder_->path(); }

 private:
  bool leads() const { return ranks_ == nullptr || ranks_->rank() == 0; }
  bool go_on(bool allow_changes);
  bool open(bool allow_changes);
  TrainResult lead(const std::string& title);
  TrainResult follow();

  Communicator* ranks_;
  std::optional<RunFolder> folder_;
  RunPlan plan_;
  PatchStores data_;
  std::optional<PatchStore> val_;
  RunDescription description_;
  Trainer trainer_;
  std::optional<Validation> validation_;
  std::optional<Progress> progress_;
};

}  // namespace adasample
