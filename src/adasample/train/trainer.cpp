// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/trainer.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <cmath>
#include <limits>

#include "adasample/base/error.h"
#include "adasample/base/log.h"
#include "adasample/base/memory.h"
#include "adasample/base/parallel.h"
#include "adasample/base/rng.h"
#include "adasample/loss/loss.h"
#include "adasample/net/folded_net.h"
#include "adasample/net/l2net.h"
#include "adasample/net/net_descriptor.h"
#include "adasample/sampler/sampler.h"
#include "adasample/train/batch_loader.h"
#include "adasample/train/collapse_alarm.h"
#include "adasample/train/effective_rank.h"
#include "adasample/train/ema.h"
#include "adasample/train/metric_ring.h"
#include "adasample/train/running_loss.h"
#include "adasample/train/schedule.h"
#include "adasample/train/sgd.h"

namespace adasample {
namespace {

// So many skipped steps in a row mean that training has broken down rather than met a bad batch.
constexpr int kMostSkippedSteps = 10;

// The patches chosen by slot (n) from (n, k, S, S): (n, S, S).
at::Tensor pick(const at::Tensor& patches, const at::Tensor& slot) {
  const int64_t n = patches.size(0), k = patches.size(1);
  return patches.flatten(0, 1).index_select(0, at::arange(n, slot.options()) * k + slot);
}

}  // namespace

struct Trainer::State {
  State(const TrainOptions& o, std::vector<const PatchStore*> data, const std::optional<Weights>& init)
      : options(o),
        device(o.device),
        loader(std::move(data), {o.batch, o.k, o.seed, o.flips, o.shares}),
        net(make_net(o, init)),
        folded(*net),
        loss(make_loss(o.loss)),
        sampler(make_sampler(o.sampler, o.seed, loss->metric())),
        sgd(net->parameters(), {o.momentum, o.dampening, o.weight_decay}),
        ema(*net, o.ema_decay),
        alarm(o.loss.margin),
        ring(o.log_every, device),
        average(at::full({}, o.loss.margin, at::TensorOptions(device).dtype(at::kDouble))),
        exponent(at::zeros_like(average)),
        learning_rate(at::zeros_like(average)),
        quantile(at::ones_like(average)),
        ramp(at::ones_like(average)),
        iteration(at::zeros({}, at::TensorOptions(device).dtype(at::kLong))) {}

  static L2Net make_net(const TrainOptions& options, const std::optional<Weights>& init) {
    L2Net net(options.seed, options.dropout);
    if (init) load_weights(*net, *init);
    net->to(at::Device(options.device));
    return net;
  }

  void set_scalars(int64_t t);
  void iterate(int64_t t);
  std::optional<TrainResult> read_ring(MetricSink& sink, double& last_loss);
  void evaluate(MetricSink& sink, const TrainHooks& hooks, int64_t t, TrainResult& result);
  Weights current_weights() const;

  TrainOptions options;
  at::Device device;
  BatchLoader loader;
  L2Net net;
  FoldedNet folded;
  std::unique_ptr<Loss> loss;
  std::unique_ptr<Sampler> sampler;
  Sgd sgd;
  WeightAverage ema;
  CollapseAlarm alarm;
  MetricRing ring;
  int skipped_in_a_row = 0;
  // Everything in an iteration that changes is a zero-dimensional tensor on the device.
  at::Tensor average, exponent, learning_rate, quantile, ramp, iteration;
  bool hardest_negatives = true;
};

// The scalars of iteration t: learning rate, warm-up, and the exponent of Eq. 13 from the present L_avg.
void Trainer::State::set_scalars(int64_t t) {
  const int64_t total = options.total_iterations();
  const WarmupState warmup = warmup_at(options.warmup_quantile_share, options.warmup_exponent_share, t, total);
  learning_rate.fill_(options.learning_rate * learning_rate_factor(options.schedule, t, total));
  quantile.fill_(warmup.quantile);
  ramp.fill_(warmup.ramp);
  iteration.fill_(t);
  hardest_negatives = warmup.hardest;
  if (options.sampler == "random") {
    exponent.fill_(0);
  } else if (options.alpha && options.sampler != "hardest") {
    exponent.copy_(ramp * (2 * *options.alpha - 1));
  } else if (options.sampler == "hardest" || std::isinf(options.lambda)) {
    exponent.fill_(warmup.ramp > 0 ? std::numeric_limits<double>::infinity() : 0);
  } else {
    exponent.copy_(ramp * options.lambda / average);
  }
}

// One iteration, Algorithm 1.
void Trainer::State::iterate(int64_t t) {
  PhaseTimer timer;
  timer.start();
  set_scalars(t);
  // Dropout is the one draw that Torch makes; reseeded here, it too is a function of (seed, iteration).
  torch::manual_seed(RngKey(options.seed, Draw::kDropout).at(static_cast<uint64_t>(t)).bits());

  // 1. n distinct classes, up to k patches of each.
  Batch batch = loader.load(t);
  const int64_t n = options.batch, k = options.k;
  const at::Tensor patches = batch.patches.to(device);  // (n, k, 32, 32)
  SamplerInput input{k, {}, batch.counts.to(device), batch.classes.to(device), iteration, exponent};
  timer.lap(Phase::kLoad);

  // 2. Embed all n*k patches with the current network: no gradient, evaluation mode.
  if (sampler->needs_descriptors()) {
    folded.refold(*net);
    input.descriptors = folded.embed(patches.flatten(0, 1)).view({n, k, -1});
  }
  timer.lap(Phase::kEmbed);

  // 3. In each class an anchor, uniformly, and a positive with p ~ d^exponent (Eq. 13); w ~ 1/d (Eq. 12).
  const PairDraw draw = sampler->draw(input);
  const at::Tensor anchors = pick(patches, draw.anchor), positives = pick(patches, draw.positive);  // (n, 32, 32)
  at::Tensor w = at::ones({n}, at::TensorOptions(device));
  if (options.distance_weights) {
    at::Tensor distance = draw.distance;
    if (!distance.defined()) {
      folded.refold(*net);
      distance = row_distance(folded.embed(anchors), folded.embed(positives), loss->metric());
    }
    w = distance_weights(distance);
  }
  const at::Tensor entropy = sampling_entropy(draw, input.counts);
  timer.lap(Phase::kSample);

  // 4. Embed the n pairs in training mode, with gradient; the closest non-matching descriptor of the batch (Eq. 14).
  net->train();
  const std::vector<at::Tensor> statistics =
      net->buffers();  // a step that is not taken must not leave its mark on them either
  std::vector<at::Tensor> before;
  for (const at::Tensor& buffer : statistics) before.push_back(buffer.clone());
  const at::Tensor descriptors = options.separate_batch_norm ? at::cat({net->forward(anchors), net->forward(positives)})
                                                             : net->forward(at::cat({anchors, positives}));  // (2n, D)
  const LossOutput out = (*loss)(descriptors.narrow(0, 0, n), descriptors.narrow(0, n, n),
                                 hardest_negatives ? std::nullopt : std::optional(quantile));
  const at::Tensor mean_loss = out.per_pair.detach().mean();
  timer.lap(Phase::kForward);

  // 5. Step along (1/n) sum_i w_i grad L_i.
  (w * out.per_pair).mean().backward();
  timer.lap(Phase::kBackward);
  const at::Tensor stepped = sgd.step(learning_rate);
  for (size_t i = 0; i < statistics.size(); ++i) statistics[i].copy_(at::where(stepped, statistics[i], before[i]));
  ema.update(*net);

  // 6. Update L_avg with the unweighted mean of L_i.
  update_running_loss(average, mean_loss, options.average_decay, options.average_floor);

  // Diagnostics.
  const at::Tensor rank = effective_rank(descriptors);
  timer.lap(Phase::kStep);
  ring.write(iteration.remainder(ring.capacity()),
             {mean_loss, average, exponent, out.positive_distance.mean(), out.negative_distance.mean(),
              (out.per_pair.detach() > 0).to(at::kDouble).mean(), entropy, rank,
              out.fully_masked.to(at::kDouble).mean(), learning_rate, stepped},
             t, timer);
}

// Writes the pending figures, a line an iteration, and looks for trouble: a result ends the run.
std::optional<TrainResult> Trainer::State::read_ring(MetricSink& sink, double& last_loss) {
  std::optional<TrainResult> trouble;
  for (const IterationFigures& figures : ring.read()) {
    MetricRecord record;
    record.iteration = figures.iteration;
    for (size_t i = 0; i < kFigureNames.size(); ++i) record.values.emplace_back(kFigureNames[i], figures.values[i]);
    const double seconds = figures.timer.total();
    record.values.emplace_back("pairs_per_s", static_cast<double>(options.batch) / seconds);
    for (size_t i = 0; i < kPhaseNames.size(); ++i) {
      record.values.emplace_back(fmt::format("time_{}", kPhaseNames[i]),
                                 figures.timer.seconds(static_cast<Phase>(i)) / seconds);
    }
    sink.record(record);
    last_loss = figures[Figure::kLoss];

    skipped_in_a_row = figures[Figure::kStepped] != 0 ? 0 : skipped_in_a_row + 1;
    if (skipped_in_a_row >= kMostSkippedSteps) {
      trouble.emplace();
      trouble->end = TrainResult::End::kNotFinite;
      trouble->reason = fmt::format(
          "the loss or its gradient was not finite {} iterations in a row, last at iteration {}; the weights before "
          "that are "
          "kept - lower --lr",
          kMostSkippedSteps, figures.iteration);
    }
    const auto sign = alarm.update(figures[Figure::kLoss], figures[Figure::kPositive], figures[Figure::kRank],
                                   figures[Figure::kMasked]);
    if (sign && !trouble) {
      trouble.emplace();
      trouble->end = TrainResult::End::kCollapsed;
      trouble->reason =
          fmt::format("the descriptors have collapsed by iteration {}: {}", figures.iteration, sign->text());
    }
  }
  sink.flush();
  return trouble;
}

Weights Trainer::State::current_weights() const { return ema.started() ? ema.weights() : weights_of(*net); }

void Trainer::State::evaluate(MetricSink& sink, const TrainHooks& hooks, int64_t t, TrainResult& result) {
  const Weights now = current_weights();
  const double score = hooks.evaluate(*make_net_descriptor(now, "validation"));
  sink.record({t, {{"val_score", score}}});
  if (!result.best || score < result.best_score) {
    result.best = now;
    result.best_score = score;
  }
}

Trainer::Trainer(const TrainOptions& options, std::vector<const PatchStore*> data, const std::optional<Weights>& init) {
  options.validate();
  at::set_num_threads(thread_count());
  keep_freed_memory();
  state_ = std::make_unique<State>(options, std::move(data), init);
}

Trainer::~Trainer() = default;

TrainResult Trainer::run(MetricSink& sink, const TrainHooks& hooks) {
  State& s = *state_;
  const int64_t total = s.options.total_iterations();
  TrainResult result;
  double last_loss = s.options.loss.margin;
  bool warned = false;
  auto clock = PhaseTimer::Clock::now();
  const auto pause_clock = [&] {
    result.seconds += std::chrono::duration<double>(PhaseTimer::Clock::now() - clock).count();
  };
  // Writes what the ring holds; true when what it shows must end the run.
  const auto in_trouble = [&] {
    const auto trouble = s.read_ring(sink, last_loss);
    if (!trouble) return false;
    if (trouble->end == TrainResult::End::kCollapsed && !s.options.stop_on_collapse) {
      if (!warned) log_warning("[train] {}", trouble->reason);
      warned = true;
      return false;
    }
    result.end = trouble->end;
    result.reason = trouble->reason;
    return true;
  };

  for (int64_t t = 0; t < total; ++t) {
    // Every so often.
    if (hooks.stop && hooks.stop()) {
      result.end = TrainResult::End::kStopped;
      result.reason = fmt::format("stopped at iteration {} of {}", t, total);
      break;
    }
    if (hooks.evaluate && s.options.eval_every > 0 && t > 0 && t % s.options.eval_every == 0) {
      if (in_trouble()) break;
      pause_clock();
      s.evaluate(sink, hooks, t, result);
      clock = PhaseTimer::Clock::now();
    }

    // One step.
    s.iterate(t);
    result.iterations = t + 1;

    // Diagnostics.
    if (s.ring.full() && in_trouble()) break;
    if (hooks.tick) hooks.tick(t, last_loss);
  }

  if (result.end == TrainResult::End::kComplete) {
    in_trouble();
  } else {
    s.read_ring(sink, last_loss);
  }
  pause_clock();
  if (hooks.evaluate && result.end == TrainResult::End::kComplete) s.evaluate(sink, hooks, total, result);
  sink.flush();
  result.pairs = result.iterations * s.options.batch;
  result.weights = s.current_weights();
  return result;
}

}  // namespace adasample
