// SPDX-License-Identifier: Apache-2.0
// adasample bench: how fast this machine describes, evaluates and trains.
#include <algorithm>
#include <chrono>

#include "adasample/base/error.h"
#include "adasample/base/interrupt.h"
#include "adasample/cli/bench/bench_commands.h"
#include "adasample/cli/parts.h"

namespace adasample {

double median_of(std::vector<double> values) {
  ADA_ASSERT(!values.empty());
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double median_seconds(int rounds, const std::function<void()>& work) {
  ADA_USAGE(rounds >= 1 && rounds <= 100000, "rounds = {}, must be in [1, 100000]", rounds);
  std::vector<double> seconds;
  for (int round = 0; round < rounds + 1; ++round) {
    if (stop_requested()) ADA_THROW_KIND(kInterrupted, "bench: interrupted");
    const double now = seconds_of(work);
    if (round > 0) seconds.push_back(now);
  }
  return median_of(seconds);
}

void add_bench_command(CLI::App& app, Context& context) {
  CLI::App* bench = app.add_subcommand("bench", "How fast this machine describes, evaluates and trains");
  bench->fallthrough();
  bench->require_subcommand(1);
  add_bench_embed(*bench, context);
  add_bench_pictures(*bench, context);
  add_bench_match(*bench, context);
  add_bench_eval(*bench, context);
  add_training_benches(*bench, context);
}

}  // namespace adasample
