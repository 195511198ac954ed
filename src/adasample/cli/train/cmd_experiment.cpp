// SPDX-License-Identifier: Apache-2.0
// adasample experiment: a grid in; trained, scored and compared runs out.
#include <fmt/format.h>

#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/log.h"
#include "adasample/cli/config_file.h"
#include "adasample/cli/context.h"
#include "adasample/cli/parts.h"
#include "adasample/cli/train/train_options.h"
#include "adasample/cli/train/training_commands.h"
#include "adasample/eval/statistics/result_values.h"
#include "adasample/experiment/experiment.h"
#include "adasample/train/device.h"

namespace adasample {
namespace {

struct ExperimentArguments {
  std::string grid, out;
  ExperimentPart part = ExperimentPart::kAll;
};

const std::map<std::string, ExperimentPart> kParts = {{"all", ExperimentPart::kAll},
                                                      {"train", ExperimentPart::kTrain},
                                                      {"score", ExperimentPart::kScore},
                                                      {"report", ExperimentPart::kReport}};

Grid read_grid(const std::string& file) {
  const std::string text = read_text(file);
  return parse_grid(file.ends_with(".json") ? parse_result(text, file) : parse_toml(text, file), file);
}

int experiment(const ExperimentArguments& a, const Context& context) {
  context.refuse_engine();
  const Grid grid = read_grid(a.grid);
  CLI::App unused;
  const auto table = bind_train_options(unused);
  const ExperimentEnd end = run_experiment(grid, {a.out, resolve_device(context.device), a.part}, *table);
  auto object = end.results.json();
  object["out"] = a.out;
  context.show(object, end.results.text());
  if (end.interrupted) {
    log_warning("interrupted; go on with the same command");
    return kInterruptedExitCode;
  }
  ADA_CHECK(end.problems.empty(), "[experiment] {} left out or broken down, the first: {}; the rest is in {}",
            end.problems.size(), end.problems.front(), a.out);
  return 0;
}

}  // namespace

void add_experiment_command(CLI::App& app, Context& context) {
  CLI::App* command =
      add_command(app, "experiment", kExperimentDescription,
                  "  adasample experiment grid.toml --out results\n"
                  "  adasample experiment grid.toml --out results --device cuda    # again: goes on where it stopped\n"
                  "  adasample experiment grid.toml --out results --part report    # the tables of what is there\n");
  auto a = std::make_shared<ExperimentArguments>();
  command->add_option("grid", a->grid, "What to try: .toml, or the same as .json (docs/experiments.md)")
      ->required()
      ->type_name("GRID");
  command->add_option("--out", a->out, "Folder to create, or to go on in")->required()->type_name("D");
  command
      ->add_option("--part", a->part,
                   "all, or one part: train, score, report; train and score may run side by side [all]")
      ->transform(CLI::CheckedTransformer(kParts))
      ->type_name("NAME")
      ->option_text("NAME");
  command->callback([&context, a] { context.action = [&context, a] { return experiment(*a, context); }; });
}

}  // namespace adasample
