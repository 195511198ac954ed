// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/trainer.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <array>
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

// Ranks whose waiting has a figure of its own in the metrics.
constexpr size_t kMostRanksShown = 16;

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

// The device's part of one iteration, Algorithm 1. Nothing in it depends on a number of the host that changes. Where
// several ranks share a batch, patches and candidates are this rank's; everything else is the whole batch's, the same
// on all of them.
Trainer::State::Step Trainer::State::compute() {
  Step now;

  // 1. n distinct classes, up to k patches of each.
  const Batch batch = backend->load();
  now.patches = batch.patches;  // (n, k, 32, 32)
  timer.lap(Phase::kLoad);

  // 2. Embed all n*k patches with the current network: no gradient, evaluation mode.
  // 3. In each class an anchor, uniformly, and a positive with p ~ d^exponent (Eq. 13); its weight w (Eq. 9, 12).
  const DrawnPairs mine = draw_pairs(batch), drawn = gathered(share, mine);
  now.input = drawn.input;
  now.draw = drawn.draw;
  if (now.input.levels.defined()) {
    learn_usual_distances(usual, now.input.levels, now.draw.anchor,
                          candidate_mask(now.draw.anchor, now.input.counts, options.k), now.draw.distances,
                          options.average_decay);
  }
  const at::Tensor w = weigh(now);
  const at::Tensor entropy = sampling_entropy(now.draw, now.input.counts);
  timer.lap(Phase::kSample);

  // 4. Embed the n pairs in training mode, with gradient; the closest non-matching descriptor of the batch (Eq. 14).
  Activations seen;
  const at::Tensor descriptors =
      backend->forward(now.patches, mine.draw, loss->wants_activations() ? &seen : nullptr);  // (members n, D)
  const at::Tensor all = share.gather_members(descriptors, options.members);
  now.descriptors = all.detach();
  now.loss = measure(options.local_negatives ? descriptors : all, seen, now, w);
  const at::Tensor mean_loss = now.loss.per_pair.mean();
  timer.lap(Phase::kBackward);

  // 5. Step along (1/n) sum_i w_i grad L_i, and along what the batch as a whole adds.
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

// Pairs of this rank's slots: all at once, or shard by shard where bits must not depend on how many shards are here.
DrawnPairs Trainer::State::draw_pairs(const Batch& batch) {
  const auto draw_some = [&](const Batch& some) {
    SamplerInput input = {options.k, {}, some.counts, some.classes, iteration, exponent, some.levels, usual};
    const bool needed = sampler.policy().needs_descriptors();
    if (needed) input.descriptors = candidates(some);  // (n, k, D)
    timer.lap(Phase::kEmbed);
    if (needed && sampler.policy().informativeness == Informativeness::kGradient) {
      input.gradients = example_gradients(*net, some.patches, input, draw_anchors(options.seed, input),
                                          options.loss.margin, loss->metric());
    }
    PairDraw draw = backend->draw(input);
    if (options.members > 2) draw.others = draw_others(options.seed, input, draw, options.members - 2);
    if (sampler.policy().weights != PairWeights::kNone && !draw.distance.defined()) {
      draw.distance = drawn_distance(some.patches, draw);
    }
    timer.lap(Phase::kSample);
    return DrawnPairs{input, draw};
  };
  if (share.shards() == 1) return draw_some(batch);
  std::vector<DrawnPairs> parts;
  for (int64_t shard = 0; shard < share.shards(); ++shard) {
    const auto some = [&](const at::Tensor& all) {
      return all.defined() ? all.narrow(0, shard * share.shard_slots(), share.shard_slots()) : all;
    };
    parts.push_back(draw_some(
        {some(batch.patches), some(batch.counts), some(batch.classes), some(batch.levels), some(batch.patch_numbers)}));
  }
  return joined(parts);
}

// Losses of the whole batch, detached; behind it gradients of this rank's weights are made. descriptors: the whole
// batch's, or with --negatives-from rank this rank's. Every rank has the losses of all pairs and takes the gradient of
// its own rows: the sum over ranks is that of one process, exactly. With
// --negatives-from rank a rank sees its own rows alone, and has 1/n of each of their losses.
LossOutput Trainer::State::measure(const at::Tensor& descriptors, const Activations& seen, const Step& now,
                                   const at::Tensor& w) {
  const bool apart = options.local_negatives && !ranks.alone();
  const int64_t members = options.members;
  const auto rows = [&](const at::Tensor& mine) { return apart ? mine : share.gather_members(mine, members); };
  const auto slots = [&](const at::Tensor& all) { return apart ? share.own_members(all, 1) : all; };
  LossInput input{descriptors, members, hardest_negatives ? std::nullopt : std::optional(quantile), iteration};
  input.raw = rows(seen.raw);
  input.first_layer = rows(seen.first);
  input.last_layer = rows(seen.last);
  if (members > 2) input.present = members_present(slots(now.input.counts), members);
  if (!net->network().metric.empty()) {
    input.compare = [this](const at::Tensor& a, const at::Tensor& b) { return net->compare(a, b); };
  }
  if (loss->wants_noise()) {
    input.noise = uniform(options.seed, Draw::kNegative, iteration, slots(now.input.classes));
  }
  LossOutput out = (*loss)(input);
  timer.lap(Phase::kForward);
  at::Tensor total = (slots(w) * out.per_pair).mean();
  if (out.batch_term.defined()) total = total + out.batch_term;
  if (apart) total = total / ranks.size();
  total.backward();
  out.per_pair = out.per_pair.detach();
  if (out.batch_term.defined()) out.batch_term = out.batch_term.detach();
  if (!apart) return out;
  for (at::Tensor* by_pair : {&out.per_pair, &out.positive_distance, &out.negative_distance, &out.fully_masked}) {
    *by_pair = share.gather(*by_pair);
  }
  if (out.batch_term.defined()) {
    const double sum =
        share.total(std::vector<double>(static_cast<size_t>(share.shards()),
                                        out.batch_term.item<double>() / static_cast<double>(share.shards())),
                    static_cast<size_t>(share.shards()))[0];
    out.batch_term = at::full_like(out.batch_term, sum / ranks.size());
  }
  return out;
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
  return pair_weights(weights, now.draw.distance, now.draw, now.input);
}

// d of the drawn pairs, for a policy that needed no descriptors and has not measured it.
at::Tensor Trainer::State::drawn_distance(const at::Tensor& patches, const PairDraw& draw) {
  const int64_t n = patches.size(0), k = options.k;
  const at::Tensor first = at::arange(n, draw.anchor.options()) * k;
  const at::Tensor chosen = at::cat({first + draw.anchor, first + draw.positive});
  const at::Tensor x = backend->embed(patches.flatten(0, 1).index_select(0, chosen));  // (2n, D)
  return row_distance(x.narrow(0, 0, n), x.narrow(0, n, n), loss->metric());
}

void Trainer::State::iterate(int64_t t, MetricSink& sink) {
  timer.start();
  set_scalars(t);
  backend->prepare(t);
  const Stage stage = hardest_negatives ? Stage::kMain : Stage::kWarmup;
  if (stage != step_stage) step = {};  // frees what the stage before holds
  step_stage = stage;
  const Before unchanged = before();
  try {
    backend->run(stage, [&] { step = compute(); });
  } catch (const LostRank&) {
    take_back(unchanged);
    throw;
  }
  ema.count();
  std::function<double()> rank;
  if (backend->synchronous() || t % kRankEvery == 0) {
    rank = [gram = backend->fetch(gram_matrix(step.descriptors))] { return effective_rank(gram()); };
  }
  ring.expect(t, timer, std::move(rank), waiting);
  if (ranks.rank() == 0 && snapshot_due(t, options.total_iterations())) {
    sink.snapshot(take_snapshot({t, options.total_iterations(), step.input, step.draw, step.patches, step.loss}));
  }
}

Trainer::State::Before Trainer::State::before() const {
  if (ranks.alone()) return {};  // nobody can be lost
  Before now{usual.clone(), {}, {}};
  for (const at::Tensor& buffer : net->buffers()) now.buffers.push_back(buffer.clone());
  for (const auto& [name, tensor] : loss->state()) now.loss[name] = tensor.clone();
  return now;
}

void Trainer::State::take_back(const Before& before) {
  if (!before.usual.defined()) return;
  torch::NoGradGuard no_grad;
  usual.copy_(before.usual);
  const std::vector<at::Tensor> buffers = net->buffers();
  for (size_t i = 0; i < buffers.size(); ++i) buffers[i].copy_(before.buffers[i]);
  for (const auto& [name, tensor] : loss->state()) tensor.copy_(before.loss.at(name));
}

// Once an iteration: whether any rank was asked to stop. And who waited how long for the others: it is the slowest that
// waits least.
bool Trainer::State::agree(bool stop) {
  if (ranks.alone()) return stop;
  const auto now = PhaseTimer::Clock::now();
  const double elapsed = std::chrono::duration<double>(now - agreed).count(), waited = ranks.waited() - waited_before;
  const std::array<double, 3> mine = {stop ? 1.0 : 0.0, waited, waited / std::max(elapsed, 1e-9)};
  std::vector<std::array<double, 3>> all(static_cast<size_t>(ranks.size()));
  ranks.all_gather(mine.data(), sizeof(mine), all.data());
  agreed = now;
  waited_before = ranks.waited();
  waiting.clear();
  waited_in_all.resize(all.size());
  bool any = false;
  for (size_t r = 0; r < all.size(); ++r) {
    any = any || all[r][0] != 0;
    waited_in_all[r] += all[r][1];
    waiting.push_back(all[r][2]);
  }
  return any;
}

// 0: no part of a batch is kept apart.
int64_t Trainer::State::shards() const {
  const int64_t wanted = options.ordered_shards();
  if (wanted == 0) return 0;
  std::string obstacle = own_kernels_obstacle(options, sampler, *loss);
  if (const auto whole = whole_batch_draw())
    obstacle = fmt::format("{} does not go with them, {}", whole->what, whole->why);
  if (options.device != "cpu" || options.training_engine != "simd")
    obstacle = "--training-engine simd on a CPU keeps them apart";
  if (obstacle.empty()) return wanted;
  ADA_USAGE(options.shards == 0 && ranks.alone(), "shards = {}: {}", wanted, obstacle);
  return 0;
}

// A draw that needs to see the whole batch at once; none: each class is drawn by itself.
std::optional<Trainer::State::Obstacle> Trainer::State::whole_batch_draw() const {
  if (options.remembers())
    return Obstacle{"--refresh below 1", "which classes are embedded again is decided in the whole batch"};
  const Informativeness kind = sampler.policy().informativeness;
  if (sampler.policy().needs_descriptors() &&
      (kind == Informativeness::kResidual || kind == Informativeness::kGradient))
    return Obstacle{"--informativeness residual or gradient", "it looks at the anchors of the whole batch"};
  return std::nullopt;
}

void Trainer::State::refuse_what_needs_one_process() const {
  const auto needs = [](bool asked, const char* what, const char* why) {
    ADA_USAGE(!asked, "{} needs one process: {}", what, why);
  };
  if (const auto whole = whole_batch_draw()) needs(true, whole->what, whole->why);
  needs(!net->network().metric.empty(), "a network with a metric",
        "every rank has the losses of all pairs, and would add the whole gradient of the metric's weights");
  needs(options.local_negatives && !loss->state().empty(), "--negatives-from rank with this loss",
        "it keeps figures of the whole batch from one iteration to the next");
  ADA_USAGE(share.count() >= 2 || !(options.local_negatives || options.local_batch_norm),
            "batch = {}, {} must be at least twice the {} ranks: a rank looks at its own pairs alone", options.batch,
            options.local_negatives ? "with --negatives-from rank it" : "with --batch-norm local it", ranks.size());
}

// With --batch-norm local every rank has moved its running statistics by those of its own pairs: to their mean, so that
// all draw, validate and go on with the same.
void Trainer::State::level_statistics() {
  if (ranks.alone() || !options.local_batch_norm) return;
  torch::NoGradGuard no_grad;
  std::vector<at::Tensor> statistics, flat;
  for (const at::Tensor& buffer : net->buffers()) {
    if (!buffer.is_floating_point()) continue;
    statistics.push_back(buffer);
    flat.push_back(buffer.to(at::kCPU, at::kDouble).flatten());
  }
  if (flat.empty()) return;
  const at::Tensor sums = at::cat(flat);  // one message, not one a layer
  ranks.add(sums.data_ptr<double>(), static_cast<size_t>(sums.numel()));
  int64_t at = 0;
  for (at::Tensor& buffer : statistics) {
    buffer.copy_((sums.narrow(0, at, buffer.numel()) / ranks.size()).view(buffer.sizes()));
    at += buffer.numel();
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
    for (size_t r = 0; r < figures.waiting.size() && r < kMostRanksShown; ++r) {
      record.values.emplace_back(fmt::format("wait_{}", r), figures.waiting[r]);
    }
    if (!figures.waiting.empty()) {
      const auto least = std::min_element(figures.waiting.begin(), figures.waiting.end());
      record.values.emplace_back("slowest_rank", least - figures.waiting.begin());
    }
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

// Acts on trouble: true when it must end the run; a collapse may be worth a warning only. Rank 0 decides for all: the
// figures of others may differ in their last bits.
bool Trainer::State::must_end() {
  if (trouble && trouble->end == TrainResult::End::kCollapsed && !options.stop_on_collapse) {
    if (!warned && ranks.rank() == 0) log_warning("[train] {}", trouble->reason);
    warned = true;
    trouble.reset();
  }
  bool ends = trouble.has_value();
  ranks.broadcast(&ends, sizeof(ends));
  return ends;
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

Trainer::Trainer(const TrainOptions& options, std::vector<const PatchStore*> data, const std::optional<Weights>& init,
                 Communicator* ranks) {
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
  state_ = std::make_unique<State>(options, std::move(data), init, ranks);
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
  // Rank 0 alone evaluates and saves; all must know whether it does.
  double evaluates = hooks.evaluate ? 1 : 0;
  s.ranks.broadcast(&evaluates, sizeof(evaluates));
  const auto is_multiple = [](int64_t t, int64_t every) { return every > 0 && t > 0 && t % every == 0; };

  try {
    while (s.next < total) {
      // Every so often.
      const int64_t t = s.next;
      if (s.agree(hooks.stop && hooks.stop())) {
        stop_at(t);
        break;
      }
      s.level_statistics();
      bool save_now = is_multiple(t, options.checkpoint_every) || is_multiple(t, options.keep_every) ||
                      (options.checkpoint_minutes > 0 && since(saved) >= 60 * options.checkpoint_minutes);
      if (evaluates != 0 && is_multiple(t, options.eval_every) && s.evaluated < t) {
        s.read_ring(sink);
        if (s.must_end()) break;
        if (hooks.evaluate) {
          evaluate(t);
        } else {
          s.evaluated = t;  // by rank 0
        }
        if (s.agree(result.end == TrainResult::End::kStopped)) {
          stop_at(t);
          break;
        }
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
    s.level_statistics();
    s.read_ring(sink);
    if (result.end != TrainResult::End::kStopped && s.must_end() && s.trouble) {
      result.end = s.trouble->end;
      result.reason = s.trouble->reason;
    }
    if (hooks.evaluate && result.end == TrainResult::End::kComplete && s.evaluated < total) evaluate(total);
    result.end = parse_end(broadcast_text(s.ranks, std::string(to_string(result.end))));
    result.reason = broadcast_text(s.ranks, result.reason);
  } catch (const LostRank&) {  // the iterations before are not lost
    if (hooks.save && !s.trouble) save();
    throw;
  }

  for (int r = 0; !s.ranks.alone() && r < s.ranks.size(); ++r) {
    s.waited_in_all.resize(static_cast<size_t>(s.ranks.size()));
    result.ranks.push_back({s.ranks.place_of(r), s.waited_in_all[static_cast<size_t>(r)]});
  }
  result.sent = s.ranks.sent();
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
