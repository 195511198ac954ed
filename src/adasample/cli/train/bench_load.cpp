// SPDX-License-Identifier: Apache-2.0
// adasample bench load: batches filled a second, with nobody waiting for the network.
#include <fmt/format.h>

#include "adasample/base/error.h"
#include "adasample/cli/bench/bench_commands.h"
#include "adasample/cli/train/training_commands.h"
#include "adasample/data/store/patch_stores.h"
#include "adasample/train/batch_filling.h"

namespace adasample {
namespace {

struct LoadArguments {
  std::vector<std::string> data;
  int64_t batch = 1024, k = 15;
  int rounds = 50;

  void validate() const {
    ADA_USAGE(batch >= 2 && batch <= 1000000, "batch = {}, must be in [2, 1000000]", batch);
    ADA_USAGE(k >= 2 && k <= 4096, "k = {}, must be in [2, 4096]", k);
  }
};

int bench_load(const LoadArguments& a, const Context& context) {
  a.validate();
  const PatchStores stores(a.data);
  const std::function<void()> fill = make_batch_filling(stores.pointers(), a.batch, a.k, context.seed);
  const double seconds = median_seconds(a.rounds, fill);
  const auto patches = static_cast<double>(a.batch * a.k);
  context.show(
      {{"n", a.batch},
       {"k", a.k},
       {"batches_per_s", 1 / seconds},
       {"patches_per_s", patches / seconds},
       {"batch_ms", 1e3 * seconds}},
      fmt::format("n {}, k {}: {:.4g} batches/s, {:.0f} patches/s", a.batch, a.k, 1 / seconds, patches / seconds));
  return 0;
}

}  // namespace

void add_bench_load(CLI::App& bench, Context& context) {
  CLI::App* command = add_command(bench, "load", kBenchLoadDescription,
                                  "  adasample bench load --data patches\n"
                                  "  adasample bench load --data patches --batch 256 --k 6\n");
  auto a = std::make_shared<LoadArguments>();
  command->add_option("--data", a->data, "Patch store; may be given several times")->required()->type_name("S");
  command->add_option("--batch", a->batch, "Classes per batch")->capture_default_str();
  command->add_option("--k", a->k, "Patches per class")->capture_default_str();
  command->add_option("--rounds", a->rounds, "Batches; the median counts")->capture_default_str();
  command->callback([&context, a] { context.action = [&context, a] { return bench_load(*a, context); }; });
}

}  // namespace adasample
