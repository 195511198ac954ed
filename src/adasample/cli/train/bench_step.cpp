// SPDX-License-Identifier: Apache-2.0
// adasample bench step: how fast this machine trains.
#include <fmt/format.h>

#include <algorithm>

#include "adasample/base/error.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/metric_sink.h"
#include "adasample/base/parallel.h"
#include "adasample/cli/bench/bench_commands.h"
#include "adasample/cli/train/train_options.h"
#include "adasample/cli/train/training_commands.h"
#include "adasample/data/store/patch_stores.h"
#include "adasample/model/network.h"
#include "adasample/train/policy_of.h"
#include "adasample/train/trainer.h"

namespace adasample {
namespace {

struct StepArguments {
  std::vector<std::string> data;
  int rounds = 7;
  int64_t round_iterations = 0;  // 0: 50 on a GPU, 2 on a CPU
  std::shared_ptr<TrainOptionTable> table;
};

// 0 where the record has none.
double value_of(const MetricRecord& record, std::string_view name) {
  const auto found =
      std::find_if(record.values.begin(), record.values.end(), [&](const auto& value) { return value.first == name; });
  return found == record.values.end() ? 0 : found->second;
}

// The training loop as it is; a round is what lies between two readings of its figures, when a GPU has done all.
int bench_step(const StepArguments& a, const Context& context) {
  context.refuse_engine();
  ADA_USAGE(a.rounds >= 1 && a.rounds <= 100000, "rounds = {}, must be in [1, 100000]", a.rounds);
  TrainOptions options = chosen_options(*a.table, context);
  options.log_every = a.round_iterations > 0 ? a.round_iterations : options.device == "cpu" ? 2 : 50;
  options.warmup_quantile_share = options.warmup_exponent_share = 0;
  options.iterations = options.log_every * (a.rounds + 1);
  options.validate();
  const PatchStores stores(a.data);
  Trainer trainer(options, stores.pointers());
  MemorySink sink;
  TrainHooks hooks;
  hooks.stop = stop_requested;
  const TrainResult result = trainer.run(sink, hooks);
  if (result.end == TrainResult::End::kStopped) ADA_THROW_KIND(kInterrupted, "bench: interrupted");
  ADA_CHECK(result.end == TrainResult::End::kComplete, "[bench] {}", result.reason);

  std::vector<double> rates, pass_rates;  // pass: forward and backward alone, where the host's clock sees them
  for (int round = 1; round <= a.rounds; ++round) {  // the first warms up
    double seconds = 0, pass_seconds = 0;
    for (int64_t i = 0; i < options.log_every; ++i) {
      const MetricRecord& record = sink.records[static_cast<size_t>(round * options.log_every + i)];
      const double iteration = static_cast<double>(options.batch) / value_of(record, "pairs_per_s");
      seconds += iteration;
      pass_seconds += iteration * (value_of(record, "time_forward") + value_of(record, "time_backward"));
    }
    const auto pairs = static_cast<double>(options.batch * options.log_every);
    rates.push_back(pairs / seconds);
    if (pass_seconds > 0) pass_rates.push_back(pairs / pass_seconds);
  }
  const double rate = median_of(rates), milliseconds = 1e3 * static_cast<double>(options.batch) / rate;
  // Forward passes an iteration and pair: candidates embedded, then two patches forward and (counted twice) backward.
  const double embedded = static_cast<double>(policy_of(options).embedded_patches(options.k)) *
                          (options.remembers() ? options.refresh : 1);
  const double patches = embedded + 6;
  const double tflops = rate * patches * static_cast<double>(find_network(options.network).flops_per_patch()) / 1e12;
  nlohmann::ordered_json object = {{"device", options.device},
                                   {"precision", options.precision},
                                   {"sampling_engine", options.device == "cpu" ? options.sampling_engine : "gpu"},
                                   {"training_engine", options.device == "cpu" ? options.training_engine : "gpu"},
                                   {"threads", thread_count()},
                                   {"n", options.batch},
                                   {"k", options.k},
                                   {"pairs_per_s", rate},
                                   {"slowest_round", *std::min_element(rates.begin(), rates.end())},
                                   {"fastest_round", *std::max_element(rates.begin(), rates.end())},
                                   {"iter_ms", milliseconds},
                                   {"tflops", tflops}};
  std::string text =
      fmt::format("{} {}, n {}, k {}: {:.0f} pairs/s, {:.2f} ms an iteration, {:.3g} TFLOP/s", options.device,
                  options.precision, options.batch, options.k, rate, milliseconds, tflops);
  if (!pass_rates.empty()) {
    object["forward_backward_pairs_per_s"] = median_of(pass_rates);
    text += fmt::format("; forward and backward alone {:.0f} pairs/s", median_of(pass_rates));
  }
  context.show(object, text);
  return 0;
}

}  // namespace

void add_bench_step(CLI::App& bench, Context& context) {
  CLI::App* step =
      add_command(bench, "step", kBenchStepDescription,
                  "  adasample bench step --data patches\n"
                  "  adasample bench step --data patches --device cuda --batch 1024 --k 15 --precision tf32\n");
  auto s = std::make_shared<StepArguments>();
  step->add_option("--data", s->data, "Patch store; may be given several times")->required()->type_name("S");
  step->add_option("--rounds", s->rounds, "Rounds of iterations; the median counts")->capture_default_str();
  step->add_option("--round-iterations", s->round_iterations, "Iterations per round; 0: 50 on a GPU, 2 on a CPU")
      ->capture_default_str();
  s->table = bind_train_options(*step);
  step->callback([&context, s] { context.action = [&context, s] { return bench_step(*s, context); }; });
}

}  // namespace adasample
