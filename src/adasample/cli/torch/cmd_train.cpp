// SPDX-License-Identifier: Apache-2.0
// adasample train: patch stores in, a run folder with weights out.
#include <fmt/format.h>

#include <optional>

#include "adasample/base/conventions.h"
#include "adasample/base/error.h"
#include "adasample/base/file_io.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/log.h"
#include "adasample/base/progress.h"
#include "adasample/cli/context.h"
#include "adasample/cli/torch/train_options.h"
#include "adasample/cli/torch/training_commands.h"
#include "adasample/data/patch_store.h"
#include "adasample/data/provenance.h"
#include "adasample/eval/patch_pairs.h"
#include "adasample/train/device.h"
#include "adasample/train/run_folder.h"

namespace adasample {
namespace {

struct Arguments {
  RunInputs inputs;
  std::shared_ptr<TrainOptionTable> table;
};

int train(const Arguments& a, const Context& context) {
  const std::string device = resolve_device(context.device);
  TrainOptions chosen;
  a.table->apply(chosen);  // only to learn the preset
  TrainOptions options = make_preset(chosen.preset, device);
  a.table->apply(options);
  options.seed = context.seed;
  options.shares = a.inputs.share;
  options.validate();
  ADA_USAGE(a.inputs.share.empty() || a.inputs.share.size() == a.inputs.data.size(),
            "--share is given {} times, expected once a --data, {}", a.inputs.share.size(), a.inputs.data.size());
  refuse_existing(a.inputs.out);

  std::vector<PatchStore> stores;
  for (const std::string& folder : a.inputs.data) stores.push_back(PatchStore::open(folder));
  std::vector<const PatchStore*> pointers;
  for (const PatchStore& store : stores) pointers.push_back(&store);
  std::optional<Weights> init;
  if (!a.inputs.init.empty()) init = load_safetensors(a.inputs.init);
  std::optional<PatchStore> val;
  TrainHooks hooks;
  if (!a.inputs.val.empty()) {
    val = PatchStore::open(a.inputs.val);
    for (const PatchStore& store : stores) {
      ADA_CHECK(
          !share_scenes(store.meta(), val->meta()),
          "[train] {} and {} show the same scenes, so validation would not be held out - make one of other scenes "
          "(--part heldout; of HPatches, the test part of the same split)",
          store.folder().string(), a.inputs.val);
    }
    ADA_CHECK(val->class_count() >= 2, "[train] {}: one class only; validation needs other classes for its negatives",
              a.inputs.val);
    ADA_CHECK(val->patch_size() == kPatchSize || val->patch_size() == 2 * kPatchSize,
              "[train] {}: patches are {}x{}, validation reads 32x32 (or 64x64, halved)", a.inputs.val,
              val->patch_size(), val->patch_size());
    hooks.evaluate = [&](Descriptor& d) { return evaluate_patches(*val, d, {.pairs = 5000, .seed = 1}).fpr95.value; };
  }

  Trainer trainer(options, pointers, init);
  RunFolder run(a.inputs.out, run_config(*a.table, options, a.inputs));
  catch_interrupts();
  Progress progress("training", "pairs", options.total_iterations() * options.batch);
  hooks.stop = stop_requested;
  hooks.tick = [&](int64_t, double loss) { progress.add(options.batch, fmt::format("loss {:.3f}", loss)); };
  const TrainResult result = trainer.run(run.metrics(), hooks);
  run.save(result, options);

  auto object = result_json(result);
  object["out"] = a.inputs.out;
  std::string text =
      fmt::format("{}: {} pairs in {:.1f} s ({:.0f} pairs/s), weights in {}/model.safetensors", to_string(result.end),
                  result.pairs, result.seconds, result.pairs / std::max(result.seconds, 1e-9), a.inputs.out);
  if (result.best) text += fmt::format(", best FPR95 on --val {:.3f} %", 100 * result.best_score);
  context.show(object, text);
  if (result.end == TrainResult::End::kStopped) {
    log_warning("{}; the weights so far are saved", result.reason);
    return kInterruptedExitCode;
  }
  ADA_CHECK(result.end == TrainResult::End::kComplete, "[train] {}", result.reason);
  return 0;
}

}  // namespace

void add_train_command(CLI::App& app, Context& context) {
  CLI::App* command = add_command(
      app, "train", "Train a descriptor on patch stores",
      "  adasample train --data patches --out runs/a --epochs 1 --pairs 200000\n"
      "  adasample train --data patches --out runs/u --sampler random --weights none\n"
      "  adasample train --data photos --data phototour --share 2 --share 1 --out runs/m\n"
      "  adasample train --data a --data b --val heldout --eval-every 500 --out runs/c --preset paper --device cuda\n"
      "  adasample train --config runs/a/config.toml --seed 1 --out runs/a1\n");
  auto a = std::make_shared<Arguments>();
  command->add_option("--data", a->inputs.data, "Patch store; may be given several times")->required()->type_name("S");
  command
      ->add_option("--share", a->inputs.share,
                   "Share of the batch for each --data, in their order, any sum; without it every class counts alike")
      ->type_name("X");
  command->add_option("--out", a->inputs.out, "Run folder to make")->required()->type_name("RUN");
  command->add_option("--init", a->inputs.init, "Weights to start from")->type_name("FILE");
  command->add_option("--val", a->inputs.val, "Patch store to choose the best weights on")->type_name("S");
  a->table = bind_train_options(*command);
  command->callback([&context, a] { context.action = [&context, a] { return train(*a, context); }; });
}

}  // namespace adasample
