// SPDX-License-Identifier: Apache-2.0
// From a grid to tables: trains every arm with every seed, lets every judge score what was learned, and compares.
// Whatever is done is kept in the folder (grid/trials.h), so that the same call goes on where it was stopped: between
// trials, within one, on another machine. What fails is told, and the rest goes on.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "adasample/experiment/grid/grid.h"
#include "adasample/experiment/grid/results.h"
#include "adasample/experiment/run_plan.h"

namespace adasample {

enum class ExperimentPart { kAll, kTrain, kScore, kReport };

struct ExperimentOptions {
  std::filesystem::path out;
  std::string device = "cpu";
  ExperimentPart part = ExperimentPart::kAll;  // kTrain and kScore may run side by side
};

struct ExperimentEnd {
  ExperimentResults results;
  std::vector<std::string> problems;  // what was left out, failed or broke down, a sentence each
  bool interrupted = false;
};

// Writes table.txt, table.md, result.json and report.html when it ends. `text` names the options of `train`. Throws
// Error where the folder cannot be used.
ExperimentEnd run_experiment(const Grid& grid, const ExperimentOptions& options, const OptionText& text);

// How many iterations an arm gets in the time of the slowest: `clock` and `own` are seconds of runs over as many pairs.
int64_t iterations_in_equal_time(int64_t iterations, double clock, double own);

}  // namespace adasample
