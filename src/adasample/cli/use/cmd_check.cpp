// SPDX-License-Identifier: Apache-2.0
// adasample check: do the engines of this machine compute what they should?
#include "adasample/cli/context.h"
#include "adasample/cli/use/check_engines.h"
#include "adasample/engine/open_model.h"

namespace adasample {

void add_check_command(CLI::App& app, Context& context) {
  CLI::App* command = add_command(
      app, "check", "Check that all engines on this machine, or the one of --engine, agree; exit code 1 if not",
      "  adasample check --model untrained\n"
      "  adasample check --engine onednn-int8 --model runs/a --patches heldout\n"
      "  adasample check --engine cuda --against torch --model runs/a --count 4096\n");
  auto a = std::make_shared<EngineCheck>();
  std::vector<std::string> names = engine_choices();
  std::erase(names, "auto");
  command->add_option("--against", a->against, "The engine to compare with")
      ->check(CLI::IsMember(names))
      ->capture_default_str();
  command->add_option("--model", a->model, "A weights file (.safetensors), a run folder, or: untrained")
      ->required()
      ->type_name("M");
  command
      ->add_option("--patches", a->patches,
                   "Patch store (adds FPR95 over its pairs) or .npy file of patches; default: procedural patches")
      ->type_name("X");
  command->add_option("--count", a->count, "Maximum number of patches; the reference engine describes a few per second")
      ->capture_default_str();
  command->add_option("--max-error", a->max_error,
                      "Largest allowed difference of a single number [1e-5; int8, cuda: none]");
  command->add_option("--max-angle", a->max_angle,
                      "Largest allowed 99th-percentile angle between descriptors, degrees [int8: 5, untrained "
                      "10; cuda: 1; others: none]");
  command->callback([&context, a] {
    context.action = [&context, a] {
      a->engine = context.engine;
      a->device = context.device;
      a->seed = context.seed;
      const EngineCheckResult result = check_engines(*a);
      context.show(result.object, result.text);
      return result.ok ? 0 : 1;
    };
  });
}

}  // namespace adasample
