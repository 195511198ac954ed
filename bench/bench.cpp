// SPDX-License-Identifier: Apache-2.0
// What the machine does a second: describing patches, whole training iterations, filling batches, opening a large
// store. Figures and what was learned from them: bench/README.md.
#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

#include "adasample/data/patch_store.h"
#include "adasample/net/net_descriptor.h"
#include "adasample/train/trainer.h"
#include "tests/support/small_store.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

const PatchStore& store() {
  static const testing::TempFolder folder;
  static const PatchStore opened = testing::small_store(folder / "s", 2000, 16);
  return opened;
}

void describe(benchmark::State& state) {
  const int64_t count = state.range(0);
  const auto descriptor = make_net_descriptor(untrained_weights(0), "bench");
  const std::vector<uint8_t> patches(store().patch(0).data(), store().patch(0).data() + count * 1024);
  std::vector<float> out(static_cast<size_t>(count) * 128);
  for (auto _ : state) descriptor->describe(patches, count, 32, out);
  state.counters["patches_per_s"] =
      benchmark::Counter(static_cast<double>(count * state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(describe)->Arg(1)->Arg(64)->Arg(1024)->Unit(benchmark::kMillisecond)->UseRealTime();

// range: batch, k (0: uniform positives, no sampling pass)
void iteration(benchmark::State& state) {
  TrainOptions options = make_preset("robust", "cpu");
  options.batch = state.range(0);
  options.k = std::max<int64_t>(2, state.range(1));
  options.iterations = 6;
  options.warmup_quantile_share = 0;
  if (state.range(1) == 0) {
    options.sampler = "random";
    options.weights = "none";
  }
  MemorySink sink;
  for (auto _ : state) {
    const TrainResult result = Trainer(options, {&store()}).run(sink);
    state.SetIterationTime(result.seconds);
  }
  state.counters["pairs_per_s"] =
      benchmark::Counter(static_cast<double>(6 * options.batch * state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(iteration)
    ->Args({64, 0})
    ->Args({64, 6})
    ->Args({256, 15})
    ->Unit(benchmark::kMillisecond)
    ->UseManualTime()
    ->Iterations(2);

void open_store(benchmark::State& state) {
  const auto folder = store().folder();
  for (auto _ : state) benchmark::DoNotOptimize(PatchStore::open(folder).patch_count());
}
BENCHMARK(open_store)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace adasample

BENCHMARK_MAIN();
