// SPDX-License-Identifier: Apache-2.0
// adasample eval compare: is one method better than another, or is it chance?
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "adasample/base/bytes/sha256.h"
#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/base/log.h"
#include "adasample/base/text.h"
#include "adasample/cli/eval/eval_commands.h"
#include "adasample/cli/result_file.h"
#include "adasample/eval/statistics/bootstrap.h"
#include "adasample/eval/statistics/mann_whitney.h"
#include "adasample/eval/statistics/result_values.h"

namespace adasample {
namespace {

struct CompareArguments {
  std::vector<std::string> a, b;
  std::string figure, alternative = "less";
  bool paired = false;
  BootstrapOptions bootstrap;
  ResultFile out;
};

struct Values {
  std::vector<double> a, b;
  bool paired = false;
  std::string what;                   // for the record
  nlohmann::ordered_json files = {};  // likewise, by side
};

using Results = std::map<std::string, nlohmann::json>;  // by file

std::optional<std::vector<double>> as_numbers(const std::vector<std::string>& words) {
  std::vector<double> values;
  for (const std::string& word : words) {
    if (!parse_number(trimmed(word), values.emplace_back())) return std::nullopt;
  }
  return values;
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

std::vector<double> one_a_file(const std::vector<std::string>& files, const Results& results,
                               const std::string& figure) {
  std::vector<double> values;
  for (const std::string& file : files) values.push_back(result_value(results.at(file), figure, file));
  return values;
}

Values gather(const CompareArguments& arguments) {
  const auto a = as_numbers(arguments.a), b = as_numbers(arguments.b);
  if (a && b) return {*a, *b, arguments.paired, "numbers"};
  ADA_USAGE(!a && !b, "--a and --b must both be numbers or both be result files; {} is numbers", a ? "--a" : "--b");
  ADA_USAGE(!arguments.figure.empty(),
            "--value is needed with result files: the figure to compare, such as fpr95 or matching.trapezoid");
  Results results;
  nlohmann::ordered_json files;
  files["a"] = read_results(arguments.a, results);
  files["b"] = read_results(arguments.b, results);
  log_first_warnings(differing_settings(results), "differences");
  if (arguments.a.size() > 1 || arguments.b.size() > 1) {
    return {one_a_file(arguments.a, results, arguments.figure), one_a_file(arguments.b, results, arguments.figure),
            arguments.paired, "runs", files};
  }
  const auto sequences = [&](const std::string& file) {
    return sequence_values(results.at(file), arguments.figure, file);
  };
  const auto [first, second] = pair_by_sequence(sequences(arguments.a[0]), sequences(arguments.b[0]));
  return {first, second, true, "sequences", files};
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

int compare(const Context& context, CompareArguments& arguments) {
  arguments.out.refuse_existing_file();
  arguments.bootstrap.seed = context.seed;
  arguments.bootstrap.validate();
  const Values values = gather(arguments);
  ADA_USAGE(!values.paired || values.a.size() == values.b.size(), "--paired takes as many values on both sides: {}, {}",
            values.a.size(), values.b.size());
  const bool less = arguments.alternative == "less";
  const RankTest forward = mann_whitney(values.a, values.b);
  const RankTest test = less ? forward : mann_whitney(values.b, values.a);

  nlohmann::ordered_json object = {{"protocol", "comparison"},
                                   {"definition",
                                    {{"p", fmt::format("one-sided Mann-Whitney: a {}", arguments.alternative)},
                                     {"p_exact", "all ways to deal out the values, ties as they are"},
                                     {"p_asymptotic", "normal, corrected for continuity and ties"},
                                     {"cliffs_delta", "P(a > b) - P(a < b)"},
                                     {"bootstrap", "mean of a - b, pairs drawn with replacement"}}},
                                   {"values", {{"of", values.what}, {"a", values.a}, {"b", values.b}}},
                                   {"mean", {{"a", mean(values.a)}, {"b", mean(values.b)}}},
                                   {"u", forward.u},
                                   {"p_exact", nullptr},
                                   {"p_asymptotic", test.p_asymptotic},
                                   {"cliffs_delta", forward.cliffs_delta},
                                   {"tie_sum", forward.tie_sum},
                                   {"bootstrap", nullptr}};
  if (!arguments.figure.empty()) object["values"]["figure"] = arguments.figure;
  if (!values.files.empty()) object["files"] = values.files;
  std::string exact = "(too many values)";
  if (test.p_exact) {
    object["p_exact"] = *test.p_exact;
    exact = fmt::format("{:.6g}", *test.p_exact);
  }
  std::string text = fmt::format(
      "a: {} values, mean {:.6g}; b: {} values, mean {:.6g}\n"
      "a {} than b: U {}, p {} exact, {:.6g} asymptotic; Cliff's delta {:+.3f}",
      values.a.size(), mean(values.a), values.b.size(), mean(values.b), less ? "smaller" : "larger", forward.u, exact,
      test.p_asymptotic, forward.cliffs_delta);
  if (values.paired && values.a.size() < 2) {
    text += "\na - b, paired: one pair has no interval";
  } else if (values.paired) {
    const BootstrapInterval interval = paired_bootstrap(values.a, values.b, arguments.bootstrap);
    object["bootstrap"] = {{"difference", interval.difference},
                           {"low", interval.low},
                           {"high", interval.high},
                           {"level", arguments.bootstrap.level},
                           {"share_smaller", interval.share_smaller},
                           {"resamples", arguments.bootstrap.resamples},
                           {"seed", arguments.bootstrap.seed}};
    text += fmt::format("\na - b, paired: {:.6g}, {:g} % of resamples in [{:.6g}, {:.6g}]", interval.difference,
                        100 * arguments.bootstrap.level, interval.low, interval.high);
  }
  arguments.out.show(context, object, text);
  return 0;
}

}  // namespace

void add_eval_compare(CLI::App& eval, Context& context) {
  CLI::App* command = add_command(
      eval, "compare", "Better, or chance? Mann-Whitney, Cliff's delta, paired bootstrap",
      "  adasample eval compare --a 1.25,1.22,1.28,1.26,1.24 --b 1.31,1.27,1.36,1.33,1.30\n"
      "  adasample eval compare --a ada0.json,ada1.json --b hard0.json,hard1.json --value fpr95\n"
      "  adasample eval compare --a ada.json --b sift.json --value matching.trapezoid --alternative greater\n");
  auto a = std::make_shared<CompareArguments>();
  const std::string help = "numbers, result files of several runs, or one result file: its sequences";
  command->add_option("--a", a->a, "The values of one method: " + help)->required()->delimiter(',')->type_name("LIST");
  command->add_option("--b", a->b, "Those of the other")->required()->delimiter(',')->type_name("LIST");
  command->add_option("--value", a->figure, "The number to take from result files, as keys separated by dots");
  command->add_option("--alternative", a->alternative, "What is to be shown of a: less or greater than b")
      ->check(CLI::IsMember({"less", "greater"}))
      ->capture_default_str();
  command->add_flag("--paired", a->paired, "Values in the same place belong together (sequences always do): bootstrap");
  command->add_option("--resamples", a->bootstrap.resamples, "Bootstrap resamples")->capture_default_str();
  command->add_option("--level", a->bootstrap.level, "Confidence level of the interval")->capture_default_str();
  a->out.add_option(*command);
  command->callback([&context, a] { context.action = [&context, a] { return compare(context, *a); }; });
}

}  // namespace adasample
