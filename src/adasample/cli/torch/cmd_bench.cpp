// SPDX-License-Identifier: Apache-2.0
// adasample bench: how fast this machine embeds and trains.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "adasample/base/conventions.h"
#include "adasample/base/error.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/log.h"
#include "adasample/base/metric_sink.h"
#include "adasample/base/rng.h"
#include "adasample/cli/context.h"
#include "adasample/cli/torch/train_options.h"
#include "adasample/cli/torch/training_commands.h"
#include "adasample/data/patch_store.h"
#include "adasample/engine/cuda_engine.h"
#include "adasample/model/layer_table.h"
#include "adasample/net/net_descriptor.h"
#include "adasample/train/device.h"
#include "adasample/train/trainer.h"

namespace adasample {
namespace {

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Through the interface that every evaluation uses: patches and descriptors in the host's memory.
double seconds_to_describe(Descriptor& descriptor, int64_t count, int rounds) {
  std::vector<uint8_t> patches(static_cast<size_t>(count) * kPatchSize * kPatchSize);
  RngStream rng(RngKey(0, Draw::kView));
  for (uint8_t& byte : patches) byte = static_cast<uint8_t>(rng.bits());
  std::vector<float> out(static_cast<size_t>(count) * static_cast<size_t>(descriptor.dimension()));
  std::vector<double> seconds;
  for (int round = 0; round < rounds + 1; ++round) {  // the first warms up
    if (stop_requested()) ADA_THROW_KIND(kInterrupted, "bench: interrupted");
    const auto begin = std::chrono::steady_clock::now();
    descriptor.describe(patches, count, kPatchSize, out);
    if (round > 0) seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return median_of(seconds);
}

struct EmbedArguments {
  int64_t patches = 15360;
  int rounds = 10;
};

int bench_embed(const EmbedArguments& a, const Context& context) {
  ADA_USAGE(a.patches >= 1 && a.patches <= 10000000, "patches = {}, must be in [1, 10000000]", a.patches);
  ADA_USAGE(a.rounds >= 1 && a.rounds <= 100000, "rounds = {}, must be in [1, 100000]", a.rounds);
  catch_interrupts();
  const std::string device = resolve_device(context.device);
  const Weights weights = untrained_weights(context.seed);
  const auto count = static_cast<double>(a.patches);
  const double flops = count * static_cast<double>(l2net().flops_per_patch());
  const double seconds = seconds_to_describe(*make_descriptor(weights, "bench", device, "bf16"), a.patches, a.rounds);
  nlohmann::ordered_json result = {{"device", device},
                                   {"patches", a.patches},
                                   {"patches_per_s", count / seconds},
                                   {"tflops", flops / seconds / 1e12}};
  std::string text = fmt::format("{}: {:.0f} patches/s from the host's memory, {:.3g} TFLOP/s", device, count / seconds,
                                 flops / seconds / 1e12);
  if (device == "cuda" && cuda_engine_available()) {
    const double resident = measure_cuda_engine(weights, a.patches, a.rounds);
    result["resident_patches_per_s"] = count / resident;
    result["resident_tflops"] = flops / resident / 1e12;
    text += fmt::format("; {:.0f} patches/s from the GPU's, {:.3g} TFLOP/s", count / resident, flops / resident / 1e12);
  }
  context.show(result, text);
  return 0;
}

struct StepArguments {
  std::vector<std::string> data;
  int rounds = 7;
  int64_t round_iterations = 0;  // 0: 50 on a GPU, 2 on a CPU
  std::shared_ptr<TrainOptionTable> table;
};

// The training loop as it is; a round is what lies between two readings of its figures, when a GPU has done all.
int bench_step(const StepArguments& a, const Context& context) {
  ADA_USAGE(a.rounds >= 1 && a.rounds <= 100000, "rounds = {}, must be in [1, 100000]", a.rounds);
  catch_interrupts();
  TrainOptions chosen;
  a.table->apply(chosen);  // only to learn the preset
  TrainOptions options = make_preset(chosen.preset, resolve_device(context.device));
  a.table->apply(options);
  options.seed = context.seed;
  options.log_every = a.round_iterations > 0 ? a.round_iterations : options.device == "cpu" ? 2 : 50;
  options.warmup_quantile_share = options.warmup_exponent_share = 0;
  options.iterations = options.log_every * (a.rounds + 1);
  options.validate();
  std::vector<PatchStore> stores;
  std::vector<const PatchStore*> pointers;
  for (const std::string& folder : a.data) stores.push_back(PatchStore::open(folder));
  for (const PatchStore& store : stores) pointers.push_back(&store);
  Trainer trainer(options, pointers);
  MemorySink sink;
  TrainHooks hooks;
  hooks.stop = stop_requested;
  const TrainResult result = trainer.run(sink, hooks);
  if (result.end == TrainResult::End::kStopped) ADA_THROW_KIND(kInterrupted, "bench: interrupted");
  ADA_CHECK(result.end == TrainResult::End::kComplete, "[bench] {}", result.reason);

  std::vector<double> rates;
  for (int round = 1; round <= a.rounds; ++round) {  // the first warms up
    double seconds = 0;
    for (int64_t i = 0; i < options.log_every; ++i) {
      const MetricRecord& record = sink.records[static_cast<size_t>(round * options.log_every + i)];
      const auto rate = std::find_if(record.values.begin(), record.values.end(),
                                     [](const auto& value) { return value.first == "pairs_per_s"; });
      seconds += static_cast<double>(options.batch) / rate->second;
    }
    rates.push_back(static_cast<double>(options.batch * options.log_every) / seconds);
  }
  const double rate = median_of(rates), milliseconds = 1e3 * static_cast<double>(options.batch) / rate;
  // Forward passes an iteration and pair: candidates embedded, then two patches forward and (counted twice) backward.
  const double embedded = options.sampler != "random" ? static_cast<double>(options.k)
                          : options.distance_weights  ? 2
                                                      : 0;
  const double patches = embedded + 6;
  const double tflops = rate * patches * static_cast<double>(l2net().flops_per_patch()) / 1e12;
  context.show({{"device", options.device},
                {"precision", options.precision},
                {"n", options.batch},
                {"k", options.k},
                {"pairs_per_s", rate},
                {"slowest_round", *std::min_element(rates.begin(), rates.end())},
                {"fastest_round", *std::max_element(rates.begin(), rates.end())},
                {"iter_ms", milliseconds},
                {"tflops", tflops}},
               fmt::format("{} {}, n {}, k {}: {:.0f} pairs/s, {:.2f} ms an iteration, {:.3g} TFLOP/s", options.device,
                           options.precision, options.batch, options.k, rate, milliseconds, tflops));
  return 0;
}

}  // namespace

void add_bench_command(CLI::App& app, Context& context) {
  CLI::App* bench = app.add_subcommand("bench", "How fast this machine embeds and trains");
  bench->fallthrough();
  bench->require_subcommand(1);

  CLI::App* embed = add_command(*bench, "embed", "Patches described a second",
                                "  adasample bench embed\n  adasample bench embed --device cuda --patches 60000\n");
  auto e = std::make_shared<EmbedArguments>();
  embed->add_option("--patches", e->patches, "Patches described at once")->capture_default_str();
  embed->add_option("--rounds", e->rounds, "Repetitions; the median counts")->capture_default_str();
  embed->callback([&context, e] { context.action = [&context, e] { return bench_embed(*e, context); }; });

  CLI::App* step =
      add_command(*bench, "step", "Pairs trained on a second: whole iterations, with everything",
                  "  adasample bench step --data patches\n"
                  "  adasample bench step --data patches --device cuda --batch 1024 --k 15 --precision tf32\n");
  auto s = std::make_shared<StepArguments>();
  step->add_option("--data", s->data, "Patch store; may be given several times")->required()->type_name("S");
  step->add_option("--rounds", s->rounds, "Rounds of iterations; the median counts")->capture_default_str();
  step->add_option("--round-iterations", s->round_iterations, "Iterations a round; 0: 50 on a GPU, 2 on a CPU")
      ->capture_default_str();
  s->table = bind_train_options(*step);
  step->callback([&context, s] { context.action = [&context, s] { return bench_step(*s, context); }; });
}

}  // namespace adasample
