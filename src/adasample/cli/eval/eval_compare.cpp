// SPDX-License-Identifier: Apache-2.0
// adasample eval compare: is one method better than another, or is it chance?
#include "adasample/cli/eval/eval_commands.h"
#include "adasample/cli/result_file.h"
#include "adasample/eval/statistics/result_comparison.h"

namespace adasample {
namespace {

struct CompareArguments {
  ComparisonRequest request;
  std::string alternative = "less";
  bool paired = false, unpaired = false;
  ResultFile out;
};

int compare(const Context& context, const CompareArguments& arguments) {
  arguments.out.refuse_existing_file();
  ComparisonRequest request = arguments.request;
  request.options.larger = arguments.alternative == "greater";
  request.options.bootstrap.seed = context.seed;
  if (arguments.paired || arguments.unpaired) request.paired = arguments.paired;
  const ComparisonAnswer answer = answer_comparison(request);
  arguments.out.show(context, answer.record, answer.text);
  return 0;
}

}  // namespace

void add_eval_compare(CLI::App& eval, Context& context) {
  CLI::App* command = add_command(
      eval, "compare", "Better, or chance? Sign flips of pairs, or Mann-Whitney; an interval over sequences",
      "  adasample eval compare --a 1.25,1.22,1.28,1.26,1.24 --b 1.31,1.27,1.36,1.33,1.30\n"
      "  adasample eval compare --a ada0.json,ada1.json --b hard0.json,hard1.json --value fpr95 --paired\n"
      "  adasample eval compare --a ada.json --b sift.json --value matching.trapezoid --alternative greater\n");
  auto a = std::make_shared<CompareArguments>();
  const std::string help = "numbers, result files of several runs, or one result file: its sequences";
  command->add_option("--a", a->request.a, "The values of one method: " + help)
      ->required()
      ->delimiter(',')
      ->type_name("LIST");
  command->add_option("--b", a->request.b, "Those of the other")->required()->delimiter(',')->type_name("LIST");
  command->add_option("--value", a->request.figure, "The number to take from result files, as keys separated by dots");
  command->add_option("--alternative", a->alternative, "What is to be shown of a: less or greater than b")
      ->check(CLI::IsMember({"less", "greater"}))
      ->capture_default_str();
  CLI::Option* paired = command->add_flag(
      "--paired", a->paired, "Runs belong together: those of equal seeds, else those in equal places of the lists");
  command
      ->add_flag("--unpaired", a->unpaired,
                 "They do not. Neither: paired where both sides' results name the same seeds of training")
      ->excludes(paired);
  command->add_option("--resamples", a->request.options.bootstrap.resamples, "Bootstrap resamples")
      ->capture_default_str();
  command->add_option("--level", a->request.options.bootstrap.level, "Confidence level of the interval")
      ->capture_default_str();
  a->out.add_option(*command);
  command->callback([&context, a] { context.action = [&context, a] { return compare(context, *a); }; });
}

}  // namespace adasample
