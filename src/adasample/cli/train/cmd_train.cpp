// SPDX-License-Identifier: Apache-2.0
// adasample train: patch stores in, a run folder with weights out.
#include <fmt/format.h>

#include <optional>

#include "adasample/base/conventions.h"
#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/log.h"
#include "adasample/base/parallel.h"
#include "adasample/base/progress.h"
#include "adasample/cli/context.h"
#include "adasample/cli/parts.h"
#include "adasample/cli/train/resume.h"
#include "adasample/cli/train/train_options.h"
#include "adasample/cli/train/training_commands.h"
#include "adasample/data/patch_store.h"
#include "adasample/data/store/provenance.h"
#include "adasample/eval/patch_pairs.h"
#include "adasample/eval/scores/pair_curves.h"
#include "adasample/eval/scores/pair_evaluation.h"
#include "adasample/model/default_weights.h"
#include "adasample/report/html_report.h"
#include "adasample/train/device.h"
#include "adasample/train/run/run_folder.h"

namespace adasample {
namespace {

constexpr int kFailed = 1;

struct TrainArguments {
  RunInputs inputs;
  bool resume = false, allow_changes = false;
  std::shared_ptr<TrainOptionTable> table;
  const CLI::App* root = nullptr;

  bool given(const std::string& option) const { return root->get_option(option)->count() > 0; }
};

// What is to be done: options and inputs, complete.
struct Plan {
  TrainOptions options;
  RunInputs inputs;
};

Plan new_plan(const TrainArguments& a, const Context& context) {
  ADA_USAGE(!a.inputs.data.empty(), "--data is required (see --help)");
  TrainOptions chosen;
  a.table->apply(chosen);  // only to learn the preset
  Plan plan{make_preset(chosen.preset, resolve_device(context.device)), a.inputs};
  a.table->apply(plan.options);
  plan.options.seed = context.seed;
  return plan;
}

// As the run was called, with what the command line gives anew.
Plan resumed_plan(const TrainArguments& a, const Context& context, const CheckpointState& state) {
  Plan plan;
  restore_configuration(state.configuration, state.environment, *a.table, plan.options, plan.inputs);
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
  if (!a.given("--threads") && threads.is_number_integer() && threads > 0 && threads <= kMostThreads) {
    set_thread_count(threads);  // its own, so that the run goes on bit for bit
  }
  plan.inputs.out = a.inputs.out;
  if (!a.inputs.data.empty()) plan.inputs.data = a.inputs.data;
  if (!a.inputs.share.empty()) plan.inputs.share = a.inputs.share;
  if (!a.inputs.val.empty()) plan.inputs.val = a.inputs.val;
  return plan;
}

void check_plan(Plan& plan) {
  const RunInputs& inputs = plan.inputs;
  plan.options.shares = inputs.share;
  plan.options.validate();
  ADA_USAGE(inputs.share.empty() || inputs.share.size() == inputs.data.size(),
            "--share is given {} times, expected once a --data, {}", inputs.share.size(), inputs.data.size());
}

// The stores of a run, opened and checked.
struct Stores {
  explicit Stores(const RunInputs& inputs) {
    for (const std::string& folder : inputs.data) data.push_back(PatchStore::open(folder));
    if (!inputs.val.empty()) open_val(inputs.val);
  }

  void open_val(const std::string& folder) {
    val = PatchStore::open(folder);
    for (const PatchStore& store : data) {
      ADA_CHECK(
          !share_scenes(store.meta(), val->meta()),
          "[train] {} and {} show the same scenes, so validation would not be held out - make one of other scenes "
          "(--part heldout; of HPatches, the test part of the same split)",
          store.folder().string(), folder);
    }
    ADA_CHECK(val->class_count() >= 2, "[train] {}: one class only; validation needs other classes for its negatives",
              folder);
    ADA_CHECK(val->patch_size() == kPatchSize || val->patch_size() == 2 * kPatchSize,
              "[train] {}: patches are {}x{}, validation reads 32x32 (or 64x64, halved)", folder, val->patch_size(),
              val->patch_size());
  }

  std::vector<const PatchStore*> pointers() const {
    std::vector<const PatchStore*> all;
    for (const PatchStore& store : data) all.push_back(&store);
    return all;
  }

  std::vector<PatchStore> data;
  std::optional<PatchStore> val;
};

// FPR95 on the validation store; the curves of the last evaluation go into the run folder.
class Validation {
 public:
  Validation(const PatchStore& store, std::string device)
      : store_(store), device_(std::move(device)), pairs_(draw_pairs(store, {.pairs = 5000, .seed = 1})) {}

  double score(Descriptor& descriptor) {
    const std::vector<double> distances = measure_pairs(pairs_, source_of(store_), descriptor);
    curves_ = curves_json("validation", pairs_.labels, distances);
    return score_pairs(pairs_.labels, distances).fpr95.value;
  }

  void save(const std::filesystem::path& run, const Weights& weights) {
    if (curves_.is_null())
      score(*make_descriptor(weights, "validation", device_));  // ended right after its last checkpoint
    write_file_atomically(run / "curves.json", curves_.dump() + "\n");
  }

 private:
  const PatchStore& store_;
  std::string device_;
  PatchPairs pairs_;
  nlohmann::ordered_json curves_;
};

// What the command line changes of a run; refused unless --allow-changes is given.
std::vector<std::string> changes_of(const TrainArguments& a, const CheckpointState& state,
                                    const RunDescription& description) {
  std::vector<std::string> changes = configuration_changes(state.configuration, description.configuration);
  for (const std::string& change : data_changes(state.environment, description.environment)) changes.push_back(change);
  ADA_CHECK(changes.empty() || a.allow_changes,
            "[train] {}: not the run that was begun: {} - leave them as they were, or go on with --allow-changes",
            a.inputs.out, fmt::join(changes, "; "));
  return changes;
}

// A run that is complete has nothing left to do; one that broke down would do so again.
std::optional<int> already_ended(RunFolder& run, int64_t total, bool changed, const Context& context) {
  const int64_t done = run.start().state.iteration;
  ADA_USAGE(total >= done, "iterations = {}: the run has done {} already", total, done);
  if (!run.result().is_object()) return std::nullopt;
  nlohmann::ordered_json result = run.result();
  const auto text = [&](const char* key) {
    return result.contains(key) && result[key].is_string() ? result[key].get<std::string>() : std::string();
  };
  const std::string folder = run.path().string();
  if (text("end") == to_string(TrainResult::End::kComplete) && done == total) {
    ADA_CHECK(!changed, "[train] {}: is complete; only more --iterations or --epochs would go on with it", folder);
    if (!std::filesystem::exists(run.path() / "report.html")) write_run_report(run.path());
    result["out"] = folder;
    context.show(result, fmt::format("complete already: {} iterations, weights and report.html in {}", done, folder));
    return 0;
  }
  const bool broke_down =
      text("end") == to_string(TrainResult::End::kCollapsed) || text("end") == to_string(TrainResult::End::kNotFinite);
  ADA_CHECK(!broke_down || changed, "[train] {}: broke down and would again: {} (with --allow-changes)", folder,
            text("reason"));
  return std::nullopt;
}

// Says what is changed, and keeps it with the run.
void record_changes(const std::vector<std::string>& changes, const CheckpointState& state,
                    RunDescription& description) {
  nlohmann::json recorded = state.environment.value("changes", nlohmann::json::array());
  ADA_CHECK(recorded.is_array(), "[run] its checkpoint's changes are no list");
  if (!changes.empty()) {
    log_warning("changed at iteration {}: {}", state.iteration, fmt::join(changes, "; "));
    recorded.push_back({{"iteration", state.iteration}, {"what", changes}});
  }
  if (!recorded.empty()) description.environment["changes"] = recorded;
  for (const std::string& change : arithmetic_changes(state.environment, description.environment)) {
    log_warning("{}: the run goes on, but not bit for bit as it would have", change);
  }
}

int show(const TrainResult& result, const std::string& out, const Context& context) {
  auto object = result_json(result);
  object["out"] = out;
  std::string text =
      fmt::format("{}: {} pairs in {:.1f} s ({:.0f} pairs/s), weights and report.html in {}", to_string(result.end),
                  result.pairs, result.seconds, result.pairs / std::max(result.seconds, 1e-9), out);
  if (result.best) text += fmt::format(", best FPR95 on --val {:.3f} %", 100 * result.best_score);
  context.show(object, text);
  if (result.end == TrainResult::End::kStopped) {
    log_warning("{}; go on with: adasample train --resume --out {}", result.reason, out);
    return kInterruptedExitCode;
  }
  return result.end == TrainResult::End::kComplete ? 0 : kFailed;
}

int train(const TrainArguments& a, const Context& context) {
  context.refuse_engine();
  const std::string& out = a.inputs.out;
  ADA_USAGE(!a.allow_changes || a.resume, "--allow-changes goes with --resume only");
  std::optional<RunFolder> run;
  if (a.resume && std::filesystem::exists(out)) {
    run = RunFolder::reopen(out);
  } else {
    ADA_CHECK(!a.resume || !a.inputs.data.empty(), "[train] {}: no such run; to begin one, name its --data", out);
    refuse_existing(out);
  }
  Plan plan = run ? resumed_plan(a, context, run->start().state) : new_plan(a, context);
  check_plan(plan);
  const TrainOptions& options = plan.options;

  const Stores stores(plan.inputs);
  RunDescription description =
      describe_run(*a.table, options, plan.inputs, stores.pointers(), stores.val ? &*stores.val : nullptr);
  std::optional<Weights> init;
  if (!run && !plan.inputs.init.empty()) init = load_safetensors(weights_file(plan.inputs.init));
  Trainer trainer(options, stores.pointers(), init);
  if (run) {
    const auto changes = changes_of(a, run->start().state, description);
    if (const auto code = already_ended(*run, options.total_iterations(), !changes.empty(), context)) return *code;
    record_changes(changes, run->start().state, description);
    if (val_changed(run->start().state.environment, description.environment)) run->forget_best();
    trainer.restore(run->start(), run->best());
    run->go_on(std::move(description));
    log_info("going on at iteration {} of {}", run->start().state.iteration, options.total_iterations());
  } else {
    run = RunFolder::create(out, std::move(description), trainer.checkpoint());
  }
  run->keep({options.keep_last, options.keep_every});

  std::optional<Validation> validation;
  if (stores.val) validation.emplace(*stores.val, options.device);
  catch_interrupts();
  const int64_t done = run->is_resumed() ? run->start().state.iteration : 0;
  Progress progress("training", "pairs", (options.total_iterations() - done) * options.batch);
  TrainHooks hooks;
  hooks.stop = [&] {
    run->check();
    return stop_requested();
  };
  hooks.tick = [&](int64_t, double loss) { progress.add(options.batch, fmt::format("loss {:.3f}", loss)); };
  hooks.save = [&](Checkpoint checkpoint) { run->save_checkpoint(std::move(checkpoint)); };
  if (validation) hooks.evaluate = [&](Descriptor& descriptor) { return validation->score(descriptor); };
  const TrainResult result = trainer.run(run->metrics(), hooks);
  if (validation && result.end == TrainResult::End::kComplete) validation->save(out, result.weights);
  run->save(result, options.weights_metadata());
  const int code = show(result, out, context);
  write_run_report(out);
  ADA_CHECK(code != kFailed, "[train] {}", result.reason);
  return code;
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
                   "Share of the batch for each --data, in their order, any sum; without it every class counts alike")
      ->type_name("X");
  command->add_option("--out", a->inputs.out, "Run folder to make, or with --resume to go on with")
      ->required()
      ->type_name("RUN");
  command
      ->add_flag("--resume", a->resume,
                 "Go on with the run in --out where its last checkpoint left it, bit for bit; begin it where there is "
                 "none. Options and data are the run's own")
      ->configurable(false);
  command
      ->add_flag("--allow-changes", a->allow_changes, "Go on although options or data differ, and say what was changed")
      ->configurable(false);
  command->add_option("--init", a->inputs.init, "Weights to start from: a file, a run folder, or: default")
      ->type_name("M");
  command->add_option("--val", a->inputs.val, "Patch store to choose the best weights on")->type_name("S");
  a->table = bind_train_options(*command);
  command->callback([&context, a] { context.action = [&context, a] { return train(*a, context); }; });
}

}  // namespace adasample
