// SPDX-License-Identifier: Apache-2.0
// adasample reproduce: the paper's tables and figures.
#include <fmt/format.h>

#include "adasample/base/error.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/log.h"
#include "adasample/cli/context.h"
#include "adasample/cli/parts.h"
#include "adasample/cli/train/train_options.h"
#include "adasample/cli/train/training_commands.h"
#include "adasample/experiment/reproduce/reproduce.h"
#include "adasample/train/device.h"

namespace adasample {
namespace {

struct ReproduceArguments {
  ReproduceOptions options;
  std::string part, out, phototour, hpatches, photographs;
};

std::string quoted_command(const ReproduceArguments& a) {
  std::string text = "adasample reproduce " + a.part + " --out D";
  if (!a.phototour.empty()) text += " --phototour DIR";
  if (!a.hpatches.empty()) text += " --hpatches DIR";
  if (!a.photographs.empty()) text += " --photographs DIR";
  const ReproduceOptions& o = a.options;
  const ReproduceOptions usual;
  const auto add = [&](const char* name, auto value, auto by_default) {
    if (value != by_default) text += fmt::format(" {} {}", name, value);
  };
  add("--iterations", o.iterations, usual.iterations);
  add("--batch", o.batch, usual.batch);
  add("--k", o.k, usual.k);
  add("--seeds", o.seeds, usual.seeds);
  add("--points", o.points, usual.points);
  add("--sequences", o.sequences, usual.sequences);
  add("--patches", o.patches, usual.patches);
  add("--gradient-classes", o.gradient_classes, usual.gradient_classes);
  add("--gradient-steps", o.gradient_steps, usual.gradient_steps);
  add("--seed", o.seed, usual.seed);
  return text;
}

int run_reproduce(ReproduceArguments& a, const Context& context) {
  context.refuse_engine();
  ReproduceOptions& options = a.options;
  options.out = a.out;
  options.phototour = a.phototour;
  options.hpatches = a.hpatches;
  options.photographs = a.photographs;
  options.seed = context.seed;
  options.device = resolve_device(context.device);
  options.parts = a.part == "all" ? reproducible() : std::vector{a.part};
  options.command = quoted_command(a);
  options.validate();
  CLI::App unused;
  const auto table = bind_train_options(unused);
  if (options.device == "cpu" && options.batch > 64)
    log_warning("[reproduce] without a GPU this takes days; --iterations, --batch, --points and --k make it smaller");
  const ReproduceEnd end = reproduce(options, *table);
  nlohmann::ordered_json object = {{"out", a.out}, {"pages", nlohmann::ordered_json::array()}};
  std::string text;
  for (const ReproducedPage& page : end.pages) {
    nlohmann::ordered_json claims = nlohmann::ordered_json::array();
    text += fmt::format("{}\n", page.title);
    for (const Claim& claim : page.claims) {
      claims.push_back({{"claim", claim.text}, {"verdict", to_string(claim.verdict)}, {"seen", claim.why}});
      text += fmt::format("  {:<14}{}: {}\n", to_string(claim.verdict), claim.text, claim.why);
    }
    object["pages"].push_back({{"name", page.name}, {"title", page.title}, {"claims", claims}});
  }
  object["problems"] = end.problems;
  if (!text.empty()) text.pop_back();
  context.show(object, text);
  if (end.interrupted) {
    log_warning("interrupted; go on with the same command");
    return kInterruptedExitCode;
  }
  ADA_CHECK(end.problems.empty(), "[reproduce] {} left out or broken down, the first: {}; the rest is in {}",
            end.problems.size(), end.problems.front(), a.out);
  return 0;
}

}  // namespace

void add_reproduce_command(CLI::App& app, Context& context) {
  CLI::App* command =
      add_command(app, "reproduce", kReproduceDescription,
                  "  adasample reproduce all --out results                             # on a stand-in\n"
                  "  adasample reproduce table1 --out paper --phototour phototour      # on the paper's own data\n"
                  "  adasample reproduce figure2 --out paper2 --phototour phototour --hpatches hpatches-release\n"
                  "  adasample reproduce table3 --out small --iterations 200 --batch 64 --points 400 --seeds 3\n");
  auto a = std::make_shared<ReproduceArguments>();
  std::vector<std::string> parts = reproducible();
  parts.emplace_back("all");
  command->add_option("part", a->part, "table1, table2, table3, figure2, figure3 or all")
      ->required()
      ->check(CLI::IsMember(parts))
      ->type_name("PART")
      ->option_text("PART");
  command->add_option("--out", a->out, "Folder to create, or to go on in")->required()->type_name("D");
  command
      ->add_option("--phototour", a->phototour, "Folder with liberty, notredame and yosemite; else a stand-in is made")
      ->type_name("DIR");
  command->add_option("--hpatches", a->hpatches, "The HPatches patches release; else a stand-in is made")
      ->type_name("DIR");
  command
      ->add_option("--photographs", a->photographs, "Pictures to make the stand-ins of, instead of procedural scenes")
      ->type_name("DIR");
  ReproduceOptions& o = a->options;
  command
      ->add_option(
          "--iterations", o.iterations,
          fmt::format("Of each run; 0: the paper's 90 epochs on the real sets, {} on a stand-in", kStandInIterations))
      ->capture_default_str();
  command->add_option("--batch", o.batch, "Pairs per iteration")->capture_default_str();
  command->add_option("--k", o.k, "Candidates per class and iteration")->capture_default_str();
  command->add_option("--seeds", o.seeds, "Of Table 3")->capture_default_str();
  command->add_option("--points", o.points, "3D points per site of a stand-in")->capture_default_str();
  command->add_option("--sequences", o.sequences, "Sequences of a stand-in to test on")->capture_default_str();
  command->add_option("--patches", o.patches, "Maximum patches per sequence of a stand-in")->capture_default_str();
  command->add_option("--gradient-classes", o.gradient_classes, "Classes that Figure 3 measures")
      ->capture_default_str();
  command->add_option("--gradient-steps", o.gradient_steps, "How often during training Figure 3 measures")
      ->capture_default_str();
  command->callback([&context, a] { context.action = [&context, a] { return run_reproduce(*a, context); }; });
}

}  // namespace adasample
