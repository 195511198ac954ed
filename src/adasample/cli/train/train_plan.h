// SPDX-License-Identifier: Apache-2.0
// From the command line of `train` to the plan of a run, new or resumed.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "adasample/cli/context.h"
#include "adasample/cli/train/train_options.h"
#include "adasample/experiment/run_plan.h"
#include "adasample/train/distributed/join.h"
#include "adasample/train/run/run_folder.h"

namespace adasample {

struct TrainArguments {
  RunInputs inputs;
  bool resume = false, allow_changes = false;
  bool show_ranks = false;
  std::optional<int> local_rank;  // as some launchers give it
  JoinOptions join;
  std::shared_ptr<TrainOptionTable> table;
  const CLI::App* root = nullptr;  // with the common options

  bool given(const std::string& option) const { return root->get_option(option)->count() > 0; }
};

// The run folder to go on with; none for a new run, whose folder must not exist.
std::optional<RunFolder> folder_to_resume(const TrainArguments& arguments);

// What is to be done. Of a run that goes on: as it was called, `before`, with what the command line gives now; the
// number of threads is taken over too, so that the run goes on bit for bit, unless several processes share the machine.
// Throws a usage Error for what only a new run can change.
RunPlan make_plan(const TrainArguments& arguments, const Context& context, const std::optional<CheckpointState>& before,
                  bool own_threads);

}  // namespace adasample
