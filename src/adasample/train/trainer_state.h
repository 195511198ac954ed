// SPDX-License-Identifier: Apache-2.0
// What a run consists of while it goes on. Private to the trainer: trainer.cpp iterates, trainer_checkpoint.cpp saves
// and restores.
#pragma once

#include <torch/torch.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adasample/loss/loss.h"
#include "adasample/net/net.h"
#include "adasample/sampler/descriptor_memory.h"
#include "adasample/sampler/sampler.h"
#include "adasample/sampler/view_strength.h"
#include "adasample/train/backend.h"
#include "adasample/train/distributed/gathered_draw.h"
#include "adasample/train/ema.h"
#include "adasample/train/metric_ring.h"
#include "adasample/train/optimiser/adam.h"
#include "adasample/train/optimiser/sgd.h"
#include "adasample/train/policy_of.h"
#include "adasample/train/run/collapse_alarm.h"
#include "adasample/train/trainer.h"

namespace adasample {

struct Trainer::State {
  State(const TrainOptions& o, std::vector<const PatchStore*> data, const std::optional<Weights>& init,
        Communicator* others)
      : options(o),
        alone(make_single_process()),
        ranks(others != nullptr ? *others : *alone),
        device(o.device),
        stores(std::move(data)),
        net(make_net(o, init)),
        loss(make_loss(o.loss)),
        sampler(policy_of(o), o.seed, loss->metric()),
        optimiser(make_optimiser(o, *net)),
        ema(*net, o.ema_decay),
        alarm(o.loss.margin),
        ring(o.log_every, device),
        average(at::full({}, o.loss.margin, at::TensorOptions(device).dtype(at::kDouble))),
        exponent(at::zeros_like(average)),
        learning_rate(at::zeros_like(average)),
        quantile(at::ones_like(average)),
        iteration(at::zeros({}, at::TensorOptions(device).dtype(at::kLong))),
        usual(no_usual_distances(device)),
        share(ranks, o.batch, shards()),
        backend(make_backend({options, stores, *net, *optimiser, sampler, *loss, iteration, &share})),
        last_loss(o.loss.margin) {
    if (!ranks.alone()) refuse_what_needs_one_process();
    if (!options.remembers()) return;
    int64_t patches = 0;
    for (const PatchStore* store : stores) patches += store->patch_count();
    memory.emplace(patches, net->network().descriptor_size, refreshed_classes(o.batch, o.refresh), device);
  }

  static Net make_net(const TrainOptions& options, const std::optional<Weights>& init) {
    Net net(options.seed, options.dropout, find_network(options.network));
    if (init) load_weights(*net, *init);
    net->to(at::Device(options.device));
    return net;
  }

  static std::unique_ptr<Optimiser> make_optimiser(const TrainOptions& options, const NetImpl& net) {
    if (options.optimiser == "adam") return std::make_unique<Adam>(net.parameters(), options.weight_decay);
    return std::make_unique<Sgd>(net.parameters(),
                                 SgdOptions{options.momentum, options.dampening, options.weight_decay});
  }

  // What one iteration made on the device; there until the next one.
  struct Step {
    SamplerInput input;
    at::Tensor patches;  // (n, k, S, S)
    PairDraw draw;
    at::Tensor descriptors;  // (members n, D) of the drawn patches, detached
    LossOutput loss;         // detached
  };

  // What must be as it was where an iteration breaks off because a rank is gone. Weights and momentum change last,
  // after everything that can break.
  struct Before {
    at::Tensor usual;
    std::vector<at::Tensor> buffers;
    LossState loss;
  };

  // What asks for it, and why.
  struct Obstacle {
    const char *what, *why;
  };

  int64_t shards() const;
  std::optional<Obstacle> whole_batch_draw() const;
  void refuse_what_needs_one_process() const;
  void set_scalars(int64_t t);
  Step compute();
  DrawnPairs draw_pairs(const Batch& batch);
  at::Tensor candidates(const Batch& batch);
  at::Tensor weigh(const Step& now);
  at::Tensor drawn_distance(const at::Tensor& patches, const PairDraw& draw);
  LossOutput measure(const at::Tensor& descriptors, const Activations& seen, const Step& now, const at::Tensor& w);
  Before before() const;
  void take_back(const Before& before);
  bool agree(bool stop);
  void level_statistics();
  void iterate(int64_t t, MetricSink& sink);
  void read_ring(MetricSink& sink);
  void look_for_trouble(const IterationFigures& figures);
  bool must_end();
  void evaluate(MetricSink& sink, const TrainHooks& hooks, int64_t t);
  Weights current_weights() const;
  Checkpoint checkpoint() const;
  void restore(const Checkpoint& from, const std::optional<Weights>& best_weights);

  TrainOptions options;
  std::unique_ptr<Communicator> alone;  // where there are no others
  Communicator& ranks;
  at::Device device;
  std::vector<const PatchStore*> stores;
  Net net;
  std::unique_ptr<Loss> loss;
  Sampler sampler;
  std::unique_ptr<Optimiser> optimiser;
  WeightAverage ema;
  CollapseAlarm alarm;
  MetricRing ring;
  // Everything in an iteration that changes is a zero-dimensional tensor on the device.
  at::Tensor average, exponent, learning_rate, quantile, iteration;
  at::Tensor usual;  // distances between views of given strengths, where positives are drawn by them
  std::optional<DescriptorMemory> memory;  // with --refresh
  bool hardest_negatives = true;
  BatchShare share;
  std::unique_ptr<Backend> backend;
  Step step;  // the last one, of this stage
  Stage step_stage = Stage::kWarmup;
  PhaseTimer timer;
  PhaseTimer::Clock::time_point last_read, agreed = PhaseTimer::Clock::now();
  double waited_before = 0;           // Communicator::waited() when the ranks last agreed
  std::vector<double> waiting;        // share of the time since, by rank
  std::vector<double> waited_in_all;  // seconds since the run began or was resumed, by rank

  // Where the run stands; all of it is in a checkpoint.
  int64_t next = 0;    // iteration
  double seconds = 0;  // in the loop
  int64_t evaluated = -1;
  std::optional<Weights> best;
  int64_t best_iteration = -1;
  double best_score = 0;
  int skipped_in_a_row = 0;
  bool warned = false;
  // Seen in the figures and not yet acted on. Figures are read whenever somebody needs them, but a run ends only at
  // iterations that depend on nothing but the options: so a resumed run ends where the other one would.
  struct Trouble {
    TrainResult::End end;
    std::string reason;
  };
  std::optional<Trouble> trouble;
  double last_loss = 0;
};

}  // namespace adasample
