// SPDX-License-Identifier: Apache-2.0
// The scores of an experiment side by side: each arm's mean and deviation over seeds, and how it differs from the
// baseline (eval/statistics/comparison.h), trained on the same data to the same budget with the same seeds.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "adasample/eval/statistics/comparison.h"
#include "adasample/experiment/grid/trials.h"
#include "adasample/report/html_report.h"

namespace adasample {

// One figure of one judge for one arm. Figures are shares; tables show per cent.
struct FigureResult {
  std::vector<double> values;      // one a seed that was scored
  double mean = 0, deviation = 0;  // deviation: n - 1; 0 for a single one
  std::optional<Comparison> against =
      {};  // the baseline; none for the baseline itself, and with fewer than one common seed
};

struct ArmResult {
  std::string name;
  int64_t seeds = 0;                                 // trained to the end
  int64_t scored = 0;                                // by this judge
  std::vector<std::string> broken = {};              // "seed 3 collapsed"
  double iterations = 0, seconds = 0;                // means
  std::map<std::string, FigureResult> figures = {};  // by name, where scored
};

// One table: one judge, one set of training data, one budget.
struct JudgedTable {
  std::string judge, data;
  Budget budget = Budget::kPairs;
  std::vector<std::string> figures;
  std::vector<ArmResult> rows;  // references first, then the arms in the grid's order
};

struct ExperimentResults {
  std::string title, baseline;
  int64_t seeds = 0;                    // asked for
  std::vector<JudgedTable> tables;      // judges in the grid's order
  std::vector<std::string> notes;       // what was left out, told in a sentence each
  std::vector<std::string> shortfalls;  // what so few seeds cannot show

  std::string text() const;      // for a terminal
  std::string markdown() const;  // for a page of documentation
  nlohmann::ordered_json json() const;
  // With a plot of every figure's differences, and one of quality against seconds of training.
  std::string html() const;
};

// From what stands in the folder; what is missing is left out, and so is what cannot be read or compared, with a note.
// `refused`: names of trials, and of "TRIAL/JUDGE", that are there but belong to something else.
ExperimentResults collect_results(const Grid& grid, const ExperimentFolder& folder,
                                  const std::set<std::string>& refused = {});

// What json() wrote, read back for a page: result.json of an experiment's folder, which may be of anybody. Comparisons
// have what the tables and plots of html() show. Throws Error that names `label` for anything else.
ExperimentResults parse_results(std::string_view text, const std::string& label);

// Whether less is more: the rates of false positives.
bool lower_is_better(const std::string& figure);

}  // namespace adasample
