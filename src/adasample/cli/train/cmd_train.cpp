// SPDX-License-Identifier: Apache-2.0
// adasample train: patch stores in, a run folder with weights out.
#include <cstdlib>

#include "adasample/base/error.h"
#include "adasample/base/parallel.h"
#include "adasample/cli/context.h"
#include "adasample/cli/parts.h"
#include "adasample/cli/train/train_outcome.h"
#include "adasample/cli/train/train_plan.h"
#include "adasample/cli/train/training_commands.h"
#include "adasample/experiment/training_run.h"
#include "adasample/train/distributed/own_cores.h"

namespace adasample {
namespace {

// What rank 0 finds in --out, for all.
std::optional<CheckpointState> state_to_resume(Communicator& ranks, const std::optional<RunFolder>& reopened) {
  const std::string text = broadcast_text(ranks, reopened ? reopened->start().state.json().dump() : "");
  if (text.empty()) return std::nullopt;
  return CheckpointState::parse(text, "rank 0's checkpoint");
}

// Several processes of one machine have a GPU each; an empty list stays empty: it hides them all.
void take_own_gpu(const Launch& launch) {
  if (launch.local_size == 1) return;
  std::string gpus = environment_variable("CUDA_VISIBLE_DEVICES").value_or(fmt::format("{}", launch.local_rank));
  for (int i = 0; i < launch.local_rank && gpus.find(',') != std::string::npos; ++i) gpus.erase(0, gpus.find(',') + 1);
  ::setenv("CUDA_VISIBLE_DEVICES", gpus.substr(0, gpus.find(',')).c_str(), /*overwrite=*/1);  // before LibTorch looks
}

int train_together(const TrainArguments& a, const Context& context, const Launch& launch, Communicator& ranks) {
  const bool leads = ranks.rank() == 0;
  std::optional<RunFolder> reopened;
  if (leads) reopened = folder_to_resume(a);
  RunPlan plan = make_plan(a, context, state_to_resume(ranks, reopened), launch.local_size == 1);
  TrainingRun run(std::move(plan), *a.table, std::move(reopened), &ranks);
  if (!run.start(a.allow_changes)) {
    if (!leads) return 0;
    if (!std::filesystem::exists(run.path() / "report.html")) run.write_report();  // it ended just before
    return show_complete(run.folder(), context);
  }
  const TrainResult result = run.train("training");
  if (leads) {
    show_result(result, a.inputs.out, context);
    run.write_report();
  }
  return exit_code_of(result);
}

int train(const TrainArguments& a, const Context& context) {
  context.refuse_engine();
  const Launch launch = read_launch(environment_variable, a.local_rank);
  if (a.show_ranks) {
    context.show({{"launcher", launch.launcher},
                  {"rank", launch.rank},
                  {"ranks", launch.size},
                  {"local_rank", launch.local_rank},
                  {"local_ranks", launch.local_size},
                  {"address", launch.address},
                  {"port", launch.port}},
                 launch.text());
    return 0;
  }
  take_own_gpu(launch);
  const std::unique_ptr<Communicator> ranks = join_ranks(launch, a.join);
  try {
    const int sharing = ranks_on_own_cores(*ranks);
    if (!a.given("--threads")) set_thread_count(std::max(1, thread_count() / sharing));
    return train_together(a, context, launch, *ranks);
  } catch (const LostRank&) {
    throw;
  } catch (const Error& error) {
    ranks->tell(error);
    throw;
  } catch (const std::exception& error) {
    ranks->tell(Error(Error::Kind::kWork, error.what(), __FILE__, __LINE__));
    throw;
  }
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
      "  adasample train --resume --allow-changes --out runs/a --epochs 20\n"
      "  torchrun --nproc_per_node 4 --no_python adasample train --data patches --out runs/d\n");
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
  command->add_option("--init", a->inputs.init, "Weights to start from: a file, a run folder, or: default, free")
      ->type_name("M");
  command->add_option("--val", a->inputs.val, "Patch store to choose the best weights on")->type_name("S");
  command
      ->add_flag("--show-ranks", a->show_ranks,
                 "Print what the launcher's variables say this process is, and stop (docs/distributed.md)")
      ->configurable(false);
  command
      ->add_option("--local-rank,--local_rank", a->local_rank,
                   "Number of this process on its machine, as some launchers give it; LOCAL_RANK wins")
      ->type_name("N")
      ->configurable(false);
  command->add_option("--join-timeout", a->join.start, "Of several processes: seconds to wait for all of them to start")
      ->type_name("S")
      ->capture_default_str()
      ->configurable(false);
  command
      ->add_option("--rank-timeout", a->join.limits.silence,
                   "Seconds without a sign of life after which a process counts as lost and the others stop")
      ->type_name("S")
      ->capture_default_str()
      ->configurable(false);
  command
      ->add_option("--step-timeout", a->join.limits.step,
                   "Seconds that a process which lives may keep the others waiting")
      ->type_name("S")
      ->capture_default_str()
      ->configurable(false);
  a->table = bind_train_options(*command);
  command->callback([&context, a] { context.action = [&context, a] { return train(*a, context); }; });
}

}  // namespace adasample
