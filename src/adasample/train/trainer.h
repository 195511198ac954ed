// SPDX-License-Identifier: Apache-2.0
// The training loop: Algorithm 1 of the paper, one iteration readable from top to bottom in trainer.cpp.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adasample/base/metric_sink.h"
#include "adasample/data/patch_store.h"
#include "adasample/model/descriptor.h"
#include "adasample/model/weights.h"
#include "adasample/train/options.h"

namespace adasample {

// What the caller may want to do while the run goes on. All are optional.
struct TrainHooks {
  std::function<bool()> stop;                   // asked before each iteration: true ends the run early
  std::function<double(Descriptor&)> evaluate;  // lower is better; called every eval_every iterations and at the end
  std::function<void(int64_t iteration, double loss)>
      tick;  // after each iteration; the loss is that of the last reading
};

struct TrainResult {
  enum class End { kComplete, kStopped, kCollapsed, kNotFinite };
  End end = End::kComplete;
  std::string reason;  // of an early end, one line
  int64_t iterations = 0, pairs = 0;
  double seconds = 0;  // in the loop, evaluations not counted
  Weights weights;     // the last, or their exponential average where that is on
  std::optional<Weights> best;
  double best_score = 0;
};

class Trainer {
 public:
  // The stores must outlive the trainer. `init`: weights to start from. Throws here, before anything is written
  // anywhere, when options, stores or weights do not fit.
  Trainer(const TrainOptions& options, std::vector<const PatchStore*> data,
          const std::optional<Weights>& init = std::nullopt);
  ~Trainer();

  // Once. Figures go to `sink`, a line an iteration.
  TrainResult run(MetricSink& sink, const TrainHooks& hooks = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace adasample
