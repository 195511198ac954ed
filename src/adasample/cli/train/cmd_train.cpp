// SPDX-License-Identifier: Apache-2.0
// adasample train: patch stores in, a run folder with weights out.
#include "adasample/cli/context.h"
#include "adasample/cli/parts.h"
#include "adasample/cli/train/train_outcome.h"
#include "adasample/cli/train/train_plan.h"
#include "adasample/cli/train/training_commands.h"
#include "adasample/experiment/training_run.h"

namespace adasample {
namespace {

int train(const TrainArguments& a, const Context& context) {
  context.refuse_engine();
  std::optional<RunFolder> reopened = folder_to_resume(a);
  RunPlan plan = make_plan(a, context, reopened);
  TrainingRun run(std::move(plan), *a.table, std::move(reopened));
  if (!run.start(a.allow_changes)) {
    if (!std::filesystem::exists(run.path() / "report.html")) run.write_report();  // it ended just before
    return show_complete(run.folder(), context);
  }
  const TrainResult result = run.train("training");
  show_result(result, a.inputs.out, context);
  run.write_report();
  return exit_code_of(result);
}

}  // namespace

void add_train_command(CLI::App& app, Context& context) {
  CLI::App* command = add_command(
      app, "train", kTrainDescription,
      "  adasample train --data patches --out runs/a --epochs 1 --pairs 200000\n"
      "  adasample train --data patches --out runs/u --sampler random --weights none\n"
      "  adasample train --data photos --data phototour --share 2 --share 1 --out runs/m\n"
      "  adasample train --data a --data b --val heldout --eval-every 500 --out runs/c --preset paper --device cuda\n"
      "  adasample train --config runs/a/config.toml --seed 1 --out runs/a1\n"
      "  adasample train --resume --out runs/a\n"
      "  adasample train --resume --allow-changes --out runs/a --epochs 20\n");
  auto a = std::make_shared<TrainArguments>();
  a->root = &app;
  command->add_option("--data", a->inputs.data, "Patch store; may be given several times")->type_name("S");
  command
      ->add_option("--share", a->inputs.share,
                   "Share of the batch for each --data, in order, any sum; by default every class counts the same")
      ->type_name("X");
  command->add_option("--out", a->inputs.out, "Run folder to create, or to continue with --resume")
      ->required()
      ->type_name("RUN");
  command
      ->add_flag("--resume", a->resume,
                 "Continue the run in --out from its last checkpoint, bit for bit; start it if there is "
                 "none. Options and data are the run's own")
      ->configurable(false);
  command
      ->add_flag("--allow-changes", a->allow_changes,
                 "Continue even if options or data differ, and record what changed")
      ->configurable(false);
  command->add_option("--init", a->inputs.init, "Weights to start from: a file, a run folder, or: default")
      ->type_name("M");
  command->add_option("--val", a->inputs.val, "Patch store to choose the best weights on")->type_name("S");
  a->table = bind_train_options(*command);
  command->callback([&context, a] { context.action = [&context, a] { return train(*a, context); }; });
}

}  // namespace adasample
