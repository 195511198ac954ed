// SPDX-License-Identifier: Apache-2.0
#include "adasample/cli/train/train_options.h"

#include "adasample/sampler/policy.h"
#include "adasample/train/device.h"
#include "adasample/train/schedule.h"

namespace adasample {

std::string TrainOptionTable::config(const RunPlan& plan) const {
  const TrainOptions& options = plan.options;
  const RunInputs& inputs = plan.inputs;
  std::string text = fmt::format(
      "# adasample train --config FILE --out NEW repeats this run.\nseed = {}\ndevice = {}\ndata = {}\nout = {}\n",
      options.seed, toml_value(options.device), toml_value(inputs.data), toml_value(inputs.out));
  if (!inputs.share.empty()) text += "share = " + toml_value(inputs.share) + "\n";
  if (!inputs.init.empty()) text += "init = " + toml_value(inputs.init) + "\n";
  if (!inputs.val.empty()) text += "val = " + toml_value(inputs.val) + "\n";
  return text + toml(options);
}

TrainOptions chosen_options(const TrainOptionTable& table, const Context& context) {
  TrainOptions given;
  table.apply(given);  // only to learn the preset
  TrainOptions options = make_preset(given.preset, resolve_device(context.device));
  table.apply(options);
  options.seed = context.seed;
  return options;
}

std::shared_ptr<TrainOptionTable> bind_train_options(CLI::App& command) {
  using O = TrainOptions;
  auto table = std::make_shared<TrainOptionTable>(command, make_preset("robust", "cpu"));
  TrainOptionTable& t = *table;
  const auto one_of = [](const std::vector<std::string>& names) { return CLI::IsMember(names); };

  t.add(
       "--preset", [](O & o) -> auto& { return o.preset; },
       "Defaults to start from: robust, paper, or a method of the field (`adasample methods`); the figures in brackets "
       "are "
       "robust's")
      ->check(one_of(preset_names()));
  t.add(
      "--batch", [](O & o) -> auto& { return o.batch; },
      "n: classes, and so pairs, per iteration; 1024 on a GPU and in `paper`");
  t.add(
      "--k", [](O & o) -> auto& { return o.k; }, "Maximum candidates per class and iteration");
  t.add(
      "--members", [](O & o) -> auto& { return o.members; },
      "Patches of a class that are learned from: the pair, and others drawn uniformly (doap uses more than 2)");
  t.add(
      "--pairs", [](O & o) -> auto& { return o.pairs_per_epoch; }, "Pairs per epoch");
  t.add(
      "--epochs", [](O & o) -> auto& { return o.epochs; }, "Epochs");
  t.add(
      "--iterations", [](O & o) -> auto& { return o.iterations; },
      "Iterations, instead of --pairs and --epochs where positive");
  t.add(
      "--flips,!--no-flips", [](O & o) -> auto& { return o.flips; },
      "Random transpose, mirror and quarter turn per class and iteration");

  t.add(
       "--sampler", [](O & o) -> auto& { return o.sampler; }, "Positives: adasample, random (uniform) or hardest")
      ->check(one_of(sampler_names()));
  t.add(
      "--lambda", [](O & o) -> auto& { return o.lambda; },
      "Positives with p ~ d^(lambda / L_avg); 0 uniform, inf the farthest");
  t.add(
      "--alpha", [](O & o) -> auto& { return o.alpha; }, "A fixed exponent 2 alpha - 1; overrides --lambda");
  t.add(
       "--weights", [](O & o) -> auto& { return o.weights; },
       "Of the pairs in the step: none, distance (1/d), eq9 (Z/d, clipped) or class (1/d over its class)")
      ->check(one_of(weight_names()));
  t.add(
       "--informativeness", [](O & o) -> auto& { return o.informativeness; },
       "What stands for d in --lambda: distance (Eq. 13), residual (the pair's own hinge), strength (d over what is "
       "usual between views changed so strongly; needs stores that say how strongly) or gradient (each example's own "
       "gradient norm, measured: the oracle; a backward pass per candidate, slow)")
      ->check(one_of(informativeness_names()));
  t.add(
      "--refresh", [](O & o) -> auto& { return o.refresh; },
      "Share of each batch's classes whose candidates are embedded again; the others' positives are drawn by "
      "remembered "
      "descriptors. 1: all, as the paper's Algorithm 1");
  t.add(
      "--average-decay", [](O & o) -> auto& { return o.average_decay; }, "Decay of the running loss L_avg");

  t.add(
       "--loss", [](O & o) -> auto& { return o.loss.name; },
       "aht (angles), ht (Euclidean), hardnet (as published, with its own negatives and mask), or another method's: "
       "see `adasample methods`")
      ->check(one_of(loss_names()));
  t.add<std::string>(
       "--negatives", [](const O& o) { return std::string(to_string(o.loss.mining.negatives)); },
       [](O& o, const std::string& v) { o.loss.mining.negatives = parse_negatives(v); },
       "Candidates for the negative: eq14 (the paper's), cross (HardNet's) or all; `paper` takes eq14")
      ->check(one_of(negatives_names()));
  t.add<std::string>(
       "--mining", [](const O& o) { return std::string(to_string(o.loss.mining.choice)); },
       [](O& o, const std::string& v) { o.loss.mining.choice = parse_negative_choice(v); },
       "Which candidate is the negative: closest, semi-hard or distance-weighted; aht, ht, sosnet and hynet")
      ->check(one_of(negative_choice_names()));
  t.add<std::string>(
      "--terms", [](const O& o) { return to_string(o.loss.terms); },
      [](O& o, const std::string& v) { o.loss.terms = parse_terms(v); },
      "What the batch adds to any loss: gor (spread over the sphere), sos (second-order similarity), with factors: "
      "gor=1,sos=1; none");
  t.add(
      "--margin", [](O & o) -> auto& { return o.loss.margin; }, "t of the hinge");
  t.add(
      "--duplicates", [](O & o) -> auto& { return o.loss.mining.duplicate_distance; },
      "Skip \"negatives\" closer than this as duplicates; 0 keeps all, as `paper` does");

  t.add(
       "--optimiser", [](O & o) -> auto& { return o.optimiser; },
       "sgd, or adam, which SOSNet and HyNet were trained with; it takes no --momentum and no --dampening")
      ->check(one_of(optimiser_names()));
  t.add(
      "--lr", [](O & o) -> auto& { return o.learning_rate; }, "Learning rate at the start");
  t.add(
      "--momentum", [](O & o) -> auto& { return o.momentum; }, "Momentum");
  t.add(
      "--dampening", [](O & o) -> auto& { return o.dampening; }, "Dampening of the momentum (HardNet: 0.9)");
  t.add(
      "--weight-decay", [](O & o) -> auto& { return o.weight_decay; }, "Weight decay");
  t.add(
       "--schedule", [](O & o) -> auto& { return o.schedule; },
       "Learning rate: linear (to 0), steps (/ 10 at 30, 60 and 80 of 90 parts, as `paper`) or constant")
      ->check(one_of(schedule_names()));
  t.add(
      "--ema", [](O & o) -> auto& { return o.ema_decay; },
      "Save an exponential average of the weights with this decay; 0: off");
  t.add(
      "--network", [](O & o) -> auto& { return o.network; },
      "l2net, cs-l2net, sosnet, hynet, tfeat, deepdesc, geodesc or matchnet; the first three take a width, as in "
      "l2net:0.5");
  t.add(
      "--dropout", [](O & o) -> auto& { return o.dropout; }, "Dropout before the last convolution");
  t.add(
      "--separate-bn", [](O & o) -> auto& { return o.separate_batch_norm; },
      "Anchors and positives in two batch-norm passes, as HardNet");
  t.add(
      "--warmup", [](O & o) -> auto& { return o.warmup_quantile_share; },
      "Fraction of the run over which negatives harden from the median to the closest; 0 in `paper`");
  t.add(
      "--ramp", [](O & o) -> auto& { return o.warmup_exponent_share; },
      "Fraction of the run, after the warm-up, over which the exponent grows from 0; 0 in `paper`");
  t.add<std::string>(
       "--on-collapse", [](const O& o) -> std::string { return o.stop_on_collapse ? "stop" : "warn"; },
       [](O& o, const std::string& v) { o.stop_on_collapse = v == "stop"; },
       "When the descriptors collapse: stop or warn")
      ->check(one_of({"stop", "warn"}));
  t.add(
       "--precision", [](O & o) -> auto& { return o.precision; },
       "Of the convolutions: fp32, tf32, bf16 (the default on a GPU) or fp16; weights, statistics and the loss are "
       "fp32")
      ->check(one_of(precision_names()));
  t.add(
       "--sampling-engine", [](O & o) -> auto& { return o.sampling_engine; },
       "What embeds the candidates on a CPU: simd-int8 or onednn-int8 (the default where one runs), simd, onednn or "
       "torch "
       "(fp32); a GPU has its own")
      ->check(one_of(sampling_engine_names()));
  t.add(
       "--training-engine", [](O & o) -> auto& { return o.training_engine; },
       "What learns on a CPU: simd, own kernels (the default with AVX2 or AVX-512), or torch; a GPU has its own")
      ->check(one_of(training_engine_names()));
  t.add(
      "--deterministic", [](O & o) -> auto& { return o.deterministic; },
      "On a GPU: bit-identical results each time, a little slower. On CPUs: --shards, as many as divide the batch, 16 "
      "at "
      "most; that many threads work");
  t.add(
      "--shards", [](O & o) -> auto& { return o.shards; },
      "Work through the batch in this many parts and sum in their order: the same bits in every number of processes "
      "that divides it; 0: as is fastest");
  t.add<std::string>(
       "--batch-norm", [](const O& o) -> std::string { return o.local_batch_norm ? "local" : "global"; },
       [](O& o, const std::string& v) { o.local_batch_norm = v == "local"; },
       "In several processes: statistics of the whole batch (global) or of each process's part (local)")
      ->check(one_of({"global", "local"}));
  t.add<std::string>(
       "--negatives-from", [](const O& o) -> std::string { return o.local_negatives ? "rank" : "batch"; },
       [](O& o, const std::string& v) { o.local_negatives = v == "rank"; },
       "In several processes: negatives from the whole batch, or from each process's part of it (rank)")
      ->check(one_of({"batch", "rank"}));
  t.add(
      "--gpu-gigabytes", [](O & o) -> auto& { return o.gpu_gigabytes; },
      "Maximum GPU memory for patches, in GiB; the rest stays on the host. 0: whatever fits");
  t.add(
      "--log-every", [](O & o) -> auto& { return o.log_every; }, "Iterations between two readings of the metrics");
  t.add(
      "--eval-every", [](O & o) -> auto& { return o.eval_every; },
      "Iterations between two evaluations on --val; 0: at the end");
  t.add(
      "--checkpoint-minutes", [](O & o) -> auto& { return o.checkpoint_minutes; },
      "Minutes between two checkpoints; 0: not by time");
  t.add(
      "--checkpoint-every", [](O & o) -> auto& { return o.checkpoint_every; },
      "Iterations between two checkpoints; 0: not by iterations");
  t.add(
      "--keep-last", [](O & o) -> auto& { return o.keep_last; }, "Checkpoints kept, besides the best on --val");
  t.add(
      "--keep-every", [](O & o) -> auto& { return o.keep_every; },
      "Keep one checkpoint permanently every this many iterations; 0: none");
  return table;
}

}  // namespace adasample
