// SPDX-License-Identifier: Apache-2.0
#include "adasample/cli/train/train_plan.h"

#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/base/parallel.h"
#include "adasample/train/device.h"

namespace adasample {
namespace {

RunPlan new_plan(const TrainArguments& a, const Context& context) {
  ADA_USAGE(!a.inputs.data.empty(), "--data is required (see --help)");
  return {chosen_options(*a.table, context), a.inputs};
}

RunPlan resumed_plan(const TrainArguments& a, const Context& context, const CheckpointState& state, bool own_threads) {
  RunPlan plan = restore_plan(state.configuration, state.environment, *a.table);
  const std::string preset = plan.options.preset;
  a.table->apply(plan.options);
  ADA_USAGE(a.inputs.init.empty() || a.inputs.init == plan.inputs.init,
            "--init {}: the run has begun; weights to start from make a new run", a.inputs.init);
  ADA_USAGE(plan.options.preset == preset,
            "--preset {}: the run was begun with {}; a resumed run can change single options only", plan.options.preset,
            preset);
  if (a.given("--seed")) plan.options.seed = context.seed;
  plan.options.device = resolve_device(a.given("--device") ? context.device : plan.options.device);
  const nlohmann::json threads = state.environment.value("threads", nlohmann::json());
  if (own_threads && !a.given("--threads") && threads.is_number_integer() && threads > 0 && threads <= kMostThreads) {
    set_thread_count(threads);
  }
  plan.inputs.out = a.inputs.out;
  if (!a.inputs.data.empty()) plan.inputs.data = a.inputs.data;
  if (!a.inputs.share.empty()) plan.inputs.share = a.inputs.share;
  if (!a.inputs.val.empty()) plan.inputs.val = a.inputs.val;
  return plan;
}

}  // namespace

std::optional<RunFolder> folder_to_resume(const TrainArguments& arguments) {
  const std::string& out = arguments.inputs.out;
  ADA_USAGE(!arguments.allow_changes || arguments.resume, "--allow-changes goes with --resume only");
  if (arguments.resume && std::filesystem::exists(out)) return RunFolder::reopen(out);
  ADA_CHECK(!arguments.resume || !arguments.inputs.data.empty(),
            "[train] {}: no such run; to begin one, name its --data", out);
  refuse_existing(out);
  return std::nullopt;
}

RunPlan make_plan(const TrainArguments& arguments, const Context& context, const std::optional<CheckpointState>& before,
                  bool own_threads) {
  return before ? resumed_plan(arguments, context, *before, own_threads) : new_plan(arguments, context);
}

}  // namespace adasample
