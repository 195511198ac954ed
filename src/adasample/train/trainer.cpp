// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/trainer.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>

#include "adasample/base/error.h"
#include "adasample/base/log.h"
#include "adasample/base/memory.h"
#include "adasample/base/parallel.h"
#include "adasample/base/random/rng.h"
#include "adasample/sampler/pair_draw.h"
#include "adasample/sampler/pair_weights.h"
#include "adasample/sampler/tensor_rng.h"
#include "adasample/sampler/view_strength.h"
#include "adasample/train/device.h"
#include "adasample/train/effective_rank.h"
#include "adasample/train/gradients/example_gradients.h"
#include "adasample/train/running_loss.h"
#include "adasample/train/schedule.h"
#include "adasample/train/snapshot.h"
#include "adasample/train/trainer_state.h"

namespace adasample {
namespace {

// So many skipped steps in a row mean that training has broken down rather than met a bad batch.
constexpr int kMostSkippedSteps = 10;

// Iterations between two measurements of the effective rank where the device is not the host itself.
constexpr int64_t kRankEvery = 50;

}  // namespace

// The scalars of iteration t: learning rate, warm-up, and the exponent of Eq. 13 from the present L_avg.
void Trainer::State::set_scalars(int64_t t) {
  const int64_t total = options.total_iterations();
  const WarmupState warmup = warmup_at(options.warmup_quantile_share, options.warmup_exponent_share, t, total);
  learning_rate.fill_(options.learning_rate * learning_rate_factor(options.schedule, t, total));
  quantile.fill_(warmup.quantile);
  iteration.fill_(t);
  hardest_negatives = warmup.hardest;
  set_exponent(sampler.policy(), warmup.ramp, average, exponent);
}

// The device's part of one iteration, Algorithm 1. Nothing in it depends on a number of the host that changes.
Trainer::State::Step Trainer::State::compute() {
  Step now;

  // 1. n distinct classes, up to k patches of each.
  const Batch batch = backend->load();
  const int64_t k = options.k;
  now.patches = batch.patches;  // (n, k, 32, 32)
  now.input = {k, {}, batch.counts, batch.classes, iteration, exponent, batch.levels, usual};
  timer.lap(Phase::kLoad);

  // 2. Embed all n*k patches with the current network: no gradient, evaluation mode.
  if (sampler.policy().needs_descriptors()) now.input.descriptors = candidates(batch);  // (n, k, D)
  timer.lap(Phase::kEmbed);

  if (sampler.policy().needs_descriptors() && sampler.policy().informativeness == Informativeness::kGradient) {
    now.input.gradients = example_gradients(*net, now.patches, now.input, draw_anchors(options.seed, now.input),
                                            options.loss.margin, loss->metric());
  }

  // 3. In each class an anchor, uniformly, and a positive with p ~ d^exponent (Eq. 13); its weight w (Eq. 9, 12).
  now.draw = backend->draw(now.input);
  if (options.members > 2) now.draw.others = draw_others(options.seed, now.input, now.draw, options.members - 2);
  if (batch.levels.defined()) {
    learn_usual_distances(usual, batch.levels, now.draw.anchor, candidate_mask(now.draw.anchor, batch.counts, k),
                          now.draw.distances, options.average_decay);
  }
  const at::Tensor w = weigh(now);
  const at::Tensor entropy = sampling_entropy(now.draw, now.input.counts);
  timer.lap(Phase::kSample);

  // 4. Embed the n pairs in training mode, with gradient; the closest non-matching descriptor of the batch (Eq. 14).
  Activations seen;
  const at::Tensor descriptors =
      backend->forward(now.patches, now.draw, loss->wants_activations() ? &seen : nullptr);  // (members n, D)
  now.descriptors = descriptors.detach();
  LossInput input{descriptors, options.members, hardest_negatives ? std::nullopt : std::optional(quantile), iteration};
  input.raw = seen.raw;
  input.first_layer = seen.first;
  input.last_layer = seen.last;
  if (options.members > 2) input.present = members_present(now.input.counts, options.members);
  if (!net->network().metric.empty()) {
    input.compare = [this](const at::Tensor& a, const at::Tensor& b) { return net->compare(a, b); };
  }
  if (loss->wants_noise()) input.noise = uniform(options.seed, Draw::kNegative, iteration, batch.classes);
  now.loss = (*loss)(input);
  const at::Tensor mean_loss = now.loss.per_pair.detach().mean();
  timer.lap(Phase::kForward);

  // 5. Step along (1/n) sum_i w_i grad L_i, and along what the batch as a whole adds.
  at::Tensor total = (w * now.loss.per_pair).mean();
  if (now.loss.batch_term.defined()) total = total + now.loss.batch_term;
  total.backward();
  now.loss.per_pair = now.loss.per_pair.detach();
  if (now.loss.batch_term.defined()) now.loss.batch_term = now.loss.batch_term.detach();
  timer.lap(Phase::kBackward);
  const at::Tensor stepped = backend->step(learning_rate);
  ema.add(*net);

  // 6. Update L_avg with the unweighted mean of L_i.
  update_running_loss(average, mean_loss, options.average_decay, options.average_floor);

  // Diagnostics.
  ring.write(iteration, {mean_loss, average, exponent, now.loss.positive_distance.mean(),
                         now.loss.negative_distance.mean(), (now.loss.per_pair > 0).to(at::kDouble).mean(), entropy,
                         effective_pairs(w), now.loss.fully_masked.to(at::kDouble).mean(), learning_rate, stepped,
                         now.loss.batch_term.defined() ? now.loss.batch_term : at::full_like(mean_loss, NAN)});
  timer.lap(Phase::kStep);
  return now;
}

// Descriptors of all candidates, all of them new or, with --refresh, most of them remembered.
at::Tensor Trainer::State::candidates(const Batch& batch) {
  if (!memory) return backend->embed_candidates(batch);
  return memory->recall(batch.patch_numbers, iteration, [&](const at::Tensor& due) {
    return backend->embed_candidates(
        {batch.patches.index_select(0, due), batch.counts.index_select(0, due), batch.classes.index_select(0, due)});
  });
}

// w of the drawn pairs. (n)
at::Tensor Trainer::State::weigh(const Step& now) {
  const PairWeights weights = sampler.policy().weights;
  if (weights == PairWeights::kNone) return at::ones({options.batch}, at::TensorOptions(device));
  return pair_weights(weights, drawn_distance(now), now.draw, now.input);
}

// d of the drawn pairs; a policy that needed no descriptors has not measured it.
at::Tensor Trainer::State::drawn_distance(const Step& now) {
  if (now.draw.distance.defined()) return now.draw.distance;
  const int64_t n = options.batch, k = options.k;
  const at::Tensor first = at::arange(n, now.draw.anchor.options()) * k;
  const at::Tensor chosen = at::cat({first + now.draw.anchor, first + now.draw.positive});
  const at::Tensor x = backend->embed(now.patches.flatten(0, 1).index_select(0, chosen));  // (2n, D)
  return row_distance(x.narrow(0, 0, n), x.narrow(0, n, n), loss->metric());
}

void Trainer::State::iterate(int64_t t, MetricSink& sink) {
  timer.start();
  set_scalars(t);
  backend->prepare(t);
  const Stage stage = hardest_negatives ? Stage::kMain : Stage::kWarmup;
  if (stage != step_stage) step = {};  // frees what the stage before holds
  step_stage = stage;
  backend->run(stage, [&] { step = compute(); });
  ema.count();
  std::function<double()> rank;
  if (backend->synchronous() || t % kRankEvery == 0) {
    rank = [gram = backend->fetch(gram_matrix(step.descriptors))] { return effective_rank(gram()); };
  }
  ring.expect(t, timer, std::move(rank));
  if (snapshot_due(t, options.total_iterations())) {
    sink.snapshot(
        take_snapshot({t, options.total_iterations(), step.input, step.draw, step.patches, step.loss, loss->metric()}));
  }
}

// Writes the pending figures, a line an iteration.
void Trainer::State::read_ring(MetricSink& sink) {
  const std::vector<IterationFigures> pending = ring.read();
  const auto now = PhaseTimer::Clock::now();
  const double mean_seconds =
      std::chrono::duration<double>(now - last_read).count() / static_cast<double>(std::max<size_t>(1, pending.size()));
  last_read = now;
  for (const IterationFigures& figures : pending) {
    MetricRecord record;
    record.iteration = figures.iteration;
    for (size_t i = 0; i < kFigureNames.size(); ++i) {
      const auto figure = static_cast<Figure>(i);
      if (figure == Figure::kRank && std::isnan(figures.values[i])) continue;  // not measured
      if (figure == Figure::kTerms && options.loss.terms.empty()) continue;
      record.values.emplace_back(kFigureNames[i], figures.values[i]);
    }
    const double step_seconds = backend->synchronous() ? figures.timer.total() : mean_seconds;
    record.values.emplace_back("pairs_per_s", static_cast<double>(options.batch) / step_seconds);
    for (size_t i = 0; backend->synchronous() && i < kPhaseNames.size(); ++i) {
      record.values.emplace_back(fmt::format("time_{}", kPhaseNames[i]),
                                 figures.timer.seconds(static_cast<Phase>(i)) / step_seconds);
    }
    sink.record(record);
    last_loss = figures[Figure::kLoss];
    look_for_trouble(figures);
  }
  sink.flush();
}

void Trainer::State::look_for_trouble(const IterationFigures& figures) {
  skipped_in_a_row = figures[Figure::kStepped] != 0 ? 0 : skipped_in_a_row + 1;
  const auto sign = alarm.update(figures[Figure::kLoss], figures[Figure::kPositive], figures[Figure::kRank],
                                 figures[Figure::kMasked]);
  if (trouble) return;
  if (skipped_in_a_row >= kMostSkippedSteps) {
    trouble = {TrainResult::End::kNotFinite,
               fmt::format("the loss or its gradient was not finite {} iterations in a row, last at iteration {}; the "
                           "weights before that are kept - lower --lr",
                           kMostSkippedSteps, figures.iteration)};
  } else if (sign) {
    trouble = {TrainResult::End::kCollapsed,
               fmt::format("the descriptors have collapsed by iteration {}: {}", figures.iteration, sign->text())};
  }
}

// Acts on trouble: true when it must end the run; a collapse may be worth a warning only.
bool Trainer::State::must_end() {
  if (!trouble) return false;
  if (trouble->end == TrainResult::End::kCollapsed && !options.stop_on_collapse) {
    if (!warned) log_warning("[train] {}", trouble->reason);
    warned = true;
    trouble.reset();
    return false;
  }
  return true;
}

Weights Trainer::State::current_weights() const { return ema.started() ? ema.weights() : weights_of(*net); }

void Trainer::State::evaluate(MetricSink& sink, const TrainHooks& hooks, int64_t t) {
  const Weights now = current_weights();
  const double score = hooks.evaluate(*make_descriptor(now, "validation", options.device));
  set_arithmetic(options);  // the validation's is fp32
  sink.record({t, {{"val_score", score}}});
  evaluated = t;
  if (best && score >= best_score) return;
  best = now;
  best_score = score;
  best_iteration = t;
}

Trainer::Trainer(const TrainOptions& options, std::vector<const PatchStore*> data, const std::optional<Weights>& init) {
  options.validate();
  const Network& network = find_network(options.network);
  const std::unique_ptr<Loss> loss = make_loss(options.loss);
  ADA_USAGE(!loss->needs_metric() || !network.metric.empty(),
            "loss = {}, learns a metric of descriptors, and --network {} has none - matchnet has", options.loss.name,
            network.name);
  ADA_USAGE(loss->needs_metric() || network.metric.empty(),
            "network = {}, its metric would not be learned by --loss {} - --loss matchnet learns it", network.name,
            options.loss.name);
  ADA_USAGE(network.unit_output || !loss->needs_unit_rows(),
            "loss = {}, needs unit descriptors, and those of --network {} are not", options.loss.name, network.name);
  at::set_num_threads(thread_count());
  keep_freed_memory();
  state_ = std::make_unique<State>(options, std::move(data), init);
}

Trainer::~Trainer() = default;

Checkpoint Trainer::checkpoint() const { return state_->checkpoint(); }
void Trainer::restore(const Checkpoint& checkpoint, const std::optional<Weights>& best) {
  state_->restore(checkpoint, best);
}

TrainResult Trainer::run(MetricSink& sink, const TrainHooks& hooks) {
  State& s = *state_;
  const TrainOptions& options = s.options;
  const int64_t total = options.total_iterations();
  using Clock = PhaseTimer::Clock;
  const auto since = [](Clock::time_point then) { return std::chrono::duration<double>(Clock::now() - then).count(); };
  TrainResult result;
  auto counted = Clock::now(), saved = counted;
  s.last_read = counted;
  const auto count_time = [&] {
    s.seconds += since(counted);
    counted = Clock::now();
  };
  const auto stop_at = [&](int64_t t) {
    result.end = TrainResult::End::kStopped;
    result.reason = fmt::format("stopped at iteration {} of {}", t, total);
  };
  const auto evaluate = [&](int64_t t) {
    count_time();
    try {
      s.evaluate(sink, hooks, t);
    } catch (const Error& error) {
      if (error.kind() != Error::Kind::kInterrupted) throw;
      stop_at(t);  // it has left no trace, and is done again when the run goes on
    }
    counted = s.last_read = Clock::now();  // not part of the loop
  };
  const auto save = [&] {
    s.read_ring(sink);
    count_time();
    hooks.save(s.checkpoint());
    saved = Clock::now();
  };
  const auto is_multiple = [](int64_t t, int64_t every) { return every > 0 && t > 0 && t % every == 0; };

  while (s.next < total) {
    // Every so often.
    const int64_t t = s.next;
    if (hooks.stop && hooks.stop()) {
      stop_at(t);
      break;
    }
    bool save_now = is_multiple(t, options.checkpoint_every) || is_multiple(t, options.keep_every) ||
                    (options.checkpoint_minutes > 0 && since(saved) >= 60 * options.checkpoint_minutes);
    if (hooks.evaluate && is_multiple(t, options.eval_every) && s.evaluated < t) {
      s.read_ring(sink);
      if (s.must_end()) break;
      evaluate(t);
      if (result.end == TrainResult::End::kStopped) break;
      save_now = save_now || s.best_iteration == t;
    }
    if (hooks.save && save_now) save();

    // One step.
    s.iterate(t, sink);
    ++s.next;

    // Diagnostics.
    if (s.next % options.log_every == 0) {
      s.read_ring(sink);
      if (s.must_end()) break;
    }
    if (hooks.tick) hooks.tick(t, s.last_loss);
  }

  s.read_ring(sink);
  if (result.end != TrainResult::End::kStopped && s.must_end()) {
    result.end = s.trouble->end;
    result.reason = s.trouble->reason;
  }
  if (hooks.evaluate && result.end == TrainResult::End::kComplete && s.evaluated < total) evaluate(total);
  sink.flush();
  const bool broke_down = result.end == TrainResult::End::kCollapsed || result.end == TrainResult::End::kNotFinite;
  if (hooks.save && !broke_down) save();
  count_time();
  result.iterations = s.next;
  result.pairs = s.next * options.batch;
  result.seconds = s.seconds;
  result.weights = s.current_weights();
  result.best = s.best;
  result.best_score = s.best_score;
  return result;
}

}  // namespace adasample
