// SPDX-License-Identifier: Apache-2.0
// adasample demo: the main job on the embedded default.
#include <fmt/format.h>

#include "adasample/base/interrupt.h"
#include "adasample/base/log.h"
#include "adasample/cli/context.h"
#include "adasample/cli/parts.h"
#include "adasample/cli/train/train_options.h"
#include "adasample/cli/train/training_commands.h"
#include "adasample/experiment/demo.h"
#include "adasample/train/device.h"

namespace adasample {
namespace {

std::string first_free_name(const std::string& name) {
  std::string candidate = name;
  for (int i = 2; std::filesystem::exists(candidate); ++i) candidate = fmt::format("{}-{}", name, i);
  return candidate;
}

}  // namespace

void add_demo_command(CLI::App& app, Context& context) {
  CLI::App* command = add_command(app, "demo", kDemoDescription,
                                  "  adasample demo\n"
                                  "  adasample demo --out demo-long --minutes 30 --seeds 5\n");
  struct Arguments {
    DemoOptions options;
    std::string out;
    int64_t batch = 32, k = 8;
    double refresh = 0.25;
  };
  auto a = std::make_shared<Arguments>();
  command->add_option("--out", a->out, "Folder to create (default: demo, or demo-2, demo-3, .. if it exists)");
  command->add_option("--minutes", a->options.minutes, "Minutes of training for all runs together")
      ->capture_default_str();
  command->add_option("--seeds", a->options.seeds, "Runs of each kind")->capture_default_str();
  command->add_option("--classes", a->options.train_classes, "Training classes")->capture_default_str();
  command->add_option("--batch", a->batch, "Pairs per iteration")->capture_default_str();
  command->add_option("--k", a->k, "Candidates per class and iteration")->capture_default_str();
  command->add_option("--refresh", a->refresh, "Share of a batch's classes whose candidates are embedded again")
      ->capture_default_str();
  command->callback([&context, a] {
    context.action = [&context, a] {
      context.refuse_engine();
      DemoOptions& options = a->options;
      if (a->out.empty()) a->out = first_free_name("demo");
      options.out = a->out;
      options.seed = context.seed;
      options.training = make_preset("robust", resolve_device(context.device));
      options.training.batch = a->batch;
      options.training.k = a->k;
      options.training.refresh = a->refresh;
      // Minutes of training leave nothing to regularise, and 5 % of so few iterations are no warm-up (bench/README.md).
      options.training.dropout = 0;
      options.training.warmup_quantile_share = options.training.warmup_exponent_share = 0;
      CLI::App unused;
      const auto table = bind_train_options(unused);
      const DemoResult result = run_demo(options, *table);
      auto object = result.json();
      object["out"] = a->out;
      context.show(object, result.table() + result.verdict());
      if (result.interrupted) {
        log_warning("interrupted; the table holds what was finished");
        return kInterruptedExitCode;
      }
      return 0;
    };
  });
}

}  // namespace adasample
