// SPDX-License-Identifier: Apache-2.0
// The training loop: Algorithm 1 of the paper, one iteration readable from top to bottom in trainer.cpp.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "adasample/base/metric_sink.h"
#include "adasample/data/patch_store.h"
#include "adasample/model/checkpoint.h"
#include "adasample/model/descriptor.h"
#include "adasample/model/weights.h"
#include "adasample/train/options.h"
#include "adasample/train/run/result.h"

namespace adasample {

class Communicator;  // train/distributed/communicator.h

// What the caller may want to do while the run goes on. All are optional.
struct TrainHooks {
  std::function<bool()> stop;                   // asked before each iteration: true ends the run early
  std::function<double(Descriptor&)> evaluate;  // lower is better; called every eval_every iterations and at the end
  std::function<void(int64_t iteration, double loss)>
      tick;  // after each iteration; the loss is that of the last reading
  // Every so often (TrainOptions), for a new best, and when the run ends other than by breaking down. What was recorded
  // so far is in the sink.
  std::function<void(Checkpoint)> save;
};

class Trainer {
 public:
  // The stores must outlive the trainer. `init`: weights to start from. Throws here, before anything is written
  // anywhere, when options, stores or weights do not fit. `ranks`: the processes that train together, which must
  // outlive the trainer; null: this one alone. All of them then have the same options, data and weights, and run() has
  // hooks to evaluate and to save on rank 0 alone. It throws LostRank when one of them is gone, after a call of
  // hooks.save.
  Trainer(const TrainOptions& options, std::vector<const PatchStore*> data,
          const std::optional<Weights>& init = std::nullopt, Communicator* ranks = nullptr);
  ~Trainer();

  // Once. Figures go to `sink`, a line an iteration.
  TrainResult run(MetricSink& sink, const TrainHooks& hooks = {});

  // Where the run stands. A run restored from it goes on bit for bit as this one would: same options, data, thread
  // count and build. `best`: the weights of the best evaluation so far, where there was one. Throws Error when the
  // checkpoint is of another architecture.
  Checkpoint checkpoint() const;
  void restore(const Checkpoint& checkpoint, const std::optional<Weights>& best);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace adasample
