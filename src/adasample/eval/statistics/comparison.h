// SPDX-License-Identifier: Apache-2.0
// Is method a better than method b, or is it chance? The one place that decides which test answers.
//   runs that are paired (run i of both sides has the same seed)   sign flips of their differences
//   runs that are not                                              Mann-Whitney, Cliff's delta
//   one run a side, with sequences                                 sign flips of the sequences' differences
// Where there are sequences, the mean difference over them has an interval: each sequence's mean over the runs of a
// side, then bootstrap-t over the sequences. Without sequences, paired runs have one over their pairs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "adasample/eval/statistics/bootstrap.h"
#include "adasample/eval/statistics/mann_whitney.h"
#include "adasample/eval/statistics/sign_flips.h"

namespace adasample {

// One side: a run is a training with its seed, or one evaluation.
struct RunValues {
  std::vector<double> mean;                              // of each run; empty: those of its sequences
  std::vector<std::map<std::string, double>> sequences;  // of each run, by name; empty: there are none
};

struct ComparisonOptions {
  bool larger = false;  // the one-sided question: is a smaller than b, or larger?
  BootstrapOptions bootstrap;
};

struct Comparison {
  std::vector<double> a, b;       // what was tested: the runs' values, or those of the sequences
  std::string unit;               // "runs" or "sequences"
  bool paired = false;            // a[i] with b[i]
  double mean_a = 0, mean_b = 0;  // of these values
  double difference = 0;          // mean_a - mean_b
  bool larger = false;            // what p_one_sided is of
  double p_one_sided = 1, p_two_sided = 1;
  std::string test;       // "sign flips of 5 pairs of runs, exact"
  double smallest_p = 1;  // the smallest p_two_sided that so many values can reach
  bool can_reach_005 = false;
  std::string shortfall;                      // why not, in a sentence; empty where it can
  std::optional<FlipTest> flips;              // paired
  std::optional<RankTest> ranks;              // not paired: U, Cliff's delta
  std::optional<BootstrapInterval> interval;  // of two sequences or more, or of two pairs of runs
  std::string interval_of;                    // "sequences" or "runs"
  BootstrapOptions bootstrap;                 // of the interval
};

// Throws Error for sides without a run, a run that lacks a sequence of the others, sequences on one side only, values
// that are not finite, and for `paired` sides with different numbers of runs.
Comparison compare_runs(const RunValues& a, const RunValues& b, bool paired, const ComparisonOptions& options = {});

// Which run of b goes with which of a. `seeds`: of each run's training, where known.
struct Pairing {
  bool paired = false;
  std::string why;             // "both sides have the seeds 0, 1, 2"
  std::vector<size_t> b_of_a;  // run i of a goes with run b_of_a[i] of b; as given where they are not paired
};
using Seeds = std::vector<std::optional<uint64_t>>;

// `asked`: what the caller wants, or nothing: then runs are paired where all have a seed, no two of a side the same and
// both sides the same ones. Asked-for pairs are those of equal seeds where that holds, else those in equal places.
// Throws a usage Error when pairs are asked for and one side has more runs.
Pairing pair_runs(const Seeds& a, const Seeds& b, std::optional<bool> asked);
// The runs in another order: run i is the given one's order[i].
RunValues in_order(const RunValues& runs, const std::vector<size_t>& order);

}  // namespace adasample
