// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/statistics/result_comparison.h"

#include "adasample/base/bytes/sha256.h"
#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/base/log.h"
#include "adasample/base/text.h"
#include "adasample/eval/statistics/comparison_report.h"
#include "adasample/eval/statistics/result_values.h"

namespace adasample {
namespace {

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

// Reads the results of a side into `results`; the value says which they are.
nlohmann::ordered_json read_results(const ComparisonRequest& request, const std::vector<std::string>& names,
                                    Results& results) {
  nlohmann::ordered_json record = nlohmann::ordered_json::array();
  for (const std::string& name : names) {
    const auto given = request.given.find(name);
    const std::string text = given != request.given.end() ? given->second : read_text(name);
    results[name] = parse_result(text, name);
    Sha256 sha;
    sha.update(text);
    record.push_back({{"file", name}, {"sha256", sha.hex()}});
  }
  return record;
}

Sides gather(const ComparisonRequest& request) {
  const auto a = as_numbers(request.a), b = as_numbers(request.b);
  if (a && b) return {*a, *b};
  ADA_USAGE(!a && !b, "--a and --b must both be numbers or both be result files; {} is numbers", a ? "--a" : "--b");
  ADA_USAGE(!request.figure.empty(),
            "--value is needed with result files: the figure to compare, such as fpr95 or matching.trapezoid");
  Results results;
  Sides sides;
  sides.files["a"] = read_results(request, request.a, results);
  sides.files["b"] = read_results(request, request.b, results);
  log_first_warnings(differing_settings(results), "differences");
  const bool runs = request.a.size() > 1 || request.b.size() > 1;  // else sequences of one
  sides.a = result_runs(request.a, results, request.figure, runs);
  sides.b = result_runs(request.b, results, request.figure, runs);
  if (sides.a.values.sequences.empty() || sides.b.values.sequences.empty()) {
    sides.a.values.sequences.clear();
    sides.b.values.sequences.clear();
  }
  return sides;
}

}  // namespace

ComparisonAnswer answer_comparison(const ComparisonRequest& request) {
  request.options.bootstrap.validate();
  const Sides sides = gather(request);
  const Pairing pairing = pair_runs(sides.a.seeds, sides.b.seeds, request.paired);
  const Comparison comparison =
      compare_runs(sides.a.values, in_order(sides.b.values, pairing.b_of_a), pairing.paired, request.options);
  const std::string why = comparison.unit == "sequences" ? "sequences, by name" : pairing.why;
  ComparisonAnswer answer{.record = comparison_json(comparison, why), .text = comparison_text(comparison, why)};
  if (sides.files.empty()) answer.record["values"]["of"] = "numbers";
  if (!request.figure.empty()) answer.record["values"]["figure"] = request.figure;
  if (!sides.files.empty()) answer.record["files"] = sides.files;
  return answer;
}

}  // namespace adasample
