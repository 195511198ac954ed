// SPDX-License-Identifier: Apache-2.0
// adasample eval compare: is one method better than another, or is it chance?
#include <optional>

#include "adasample/base/bytes/sha256.h"
#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/base/log.h"
#include "adasample/base/text.h"
#include "adasample/cli/eval/eval_commands.h"
#include "adasample/cli/result_file.h"
#include "adasample/eval/statistics/comparison_report.h"
#include "adasample/eval/statistics/result_values.h"

namespace adasample {
namespace {

struct CompareArguments {
  std::vector<std::string> a, b;
  std::string figure, alternative = "less";
  bool paired = false, unpaired = false;
  BootstrapOptions bootstrap;
  ResultFile out;
};

struct Sides {
  ResultRuns a, b;
  nlohmann::ordered_json files = {};  // for the record, by side; empty where numbers were given
};

std::optional<ResultRuns> as_numbers(const std::vector<std::string>& words) {
  ResultRuns runs;
  for (const std::string& word : words) {
    if (!parse_number(trimmed(word), runs.values.mean.emplace_back())) return std::nullopt;
  }
  runs.seeds.resize(words.size());
  return runs;
}

// Reads the files of a side into `results`; the value says which they are.
nlohmann::ordered_json read_results(const std::vector<std::string>& files, Results& results) {
  nlohmann::ordered_json record = nlohmann::ordered_json::array();
  for (const std::string& file : files) {
    const std::string text = read_text(file);
    results[file] = parse_result(text, file);
    Sha256 sha;
    sha.update(text);
    record.push_back({{"file", file}, {"sha256", sha.hex()}});
  }
  return record;
}

Sides gather(const CompareArguments& arguments) {
  const auto a = as_numbers(arguments.a), b = as_numbers(arguments.b);
  if (a && b) return {*a, *b};
  ADA_USAGE(!a && !b, "--a and --b must both be numbers or both be result files; {} is numbers", a ? "--a" : "--b");
  ADA_USAGE(!arguments.figure.empty(),
            "--value is needed with result files: the figure to compare, such as fpr95 or matching.trapezoid");
  Results results;
  Sides sides;
  sides.files["a"] = read_results(arguments.a, results);
  sides.files["b"] = read_results(arguments.b, results);
  log_first_warnings(differing_settings(results), "differences");
  const bool runs = arguments.a.size() > 1 || arguments.b.size() > 1;  // else sequences of one
  sides.a = result_runs(arguments.a, results, arguments.figure, runs);
  sides.b = result_runs(arguments.b, results, arguments.figure, runs);
  if (sides.a.values.sequences.empty() || sides.b.values.sequences.empty()) {
    sides.a.values.sequences.clear();
    sides.b.values.sequences.clear();
  }
  return sides;
}

int compare(const Context& context, CompareArguments& arguments) {
  arguments.out.refuse_existing_file();
  ComparisonOptions options{arguments.alternative == "greater", arguments.bootstrap};
  options.bootstrap.seed = context.seed;
  options.bootstrap.validate();
  const Sides sides = gather(arguments);
  std::optional<bool> asked;
  if (arguments.paired || arguments.unpaired) asked = arguments.paired;
  const Pairing pairing = pair_runs(sides.a.seeds, sides.b.seeds, asked);
  const Comparison comparison =
      compare_runs(sides.a.values, in_order(sides.b.values, pairing.b_of_a), pairing.paired, options);
  const std::string why = comparison.unit == "sequences" ? "sequences, by name" : pairing.why;

  nlohmann::ordered_json object = comparison_json(comparison, why);
  if (sides.files.empty()) object["values"]["of"] = "numbers";
  if (!arguments.figure.empty()) object["values"]["figure"] = arguments.figure;
  if (!sides.files.empty()) object["files"] = sides.files;
  arguments.out.show(context, object, comparison_text(comparison, why));
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
  command->add_option("--a", a->a, "The values of one method: " + help)->required()->delimiter(',')->type_name("LIST");
  command->add_option("--b", a->b, "Those of the other")->required()->delimiter(',')->type_name("LIST");
  command->add_option("--value", a->figure, "The number to take from result files, as keys separated by dots");
  command->add_option("--alternative", a->alternative, "What is to be shown of a: less or greater than b")
      ->check(CLI::IsMember({"less", "greater"}))
      ->capture_default_str();
  CLI::Option* paired = command->add_flag(
      "--paired", a->paired, "Runs belong together: those of equal seeds, else those in equal places of the lists");
  command
      ->add_flag("--unpaired", a->unpaired,
                 "They do not. Neither: paired where both sides' results name the same seeds of training")
      ->excludes(paired);
  command->add_option("--resamples", a->bootstrap.resamples, "Bootstrap resamples")->capture_default_str();
  command->add_option("--level", a->bootstrap.level, "Confidence level of the interval")->capture_default_str();
  a->out.add_option(*command);
  command->callback([&context, a] { context.action = [&context, a] { return compare(context, *a); }; });
}

}  // namespace adasample
