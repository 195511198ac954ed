// SPDX-License-Identifier: Apache-2.0
// An arm trained with one seed is a trial. What is known of it stands in the experiment's folder:
//   runs/TRIAL           the run, as `train` makes it
//   scores/TRIAL/run.json    how the training ended
//   scores/TRIAL/JUDGE.json  what a judge says, as `eval .. --out` writes it
// Scores are all that a result needs: an experiment goes on wherever they are copied to, without the runs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "adasample/experiment/grid/grid.h"

namespace adasample {

struct Trial {
  size_t arm = 0;  // of Grid::arms
  Budget budget = Budget::kPairs;
  uint64_t seed = 0;
};

// Seeds come first, so that an experiment that is cut short has compared all arms on some.
std::vector<Trial> trials_of(const Grid& grid, Budget budget);

struct TrialOutcome {
  std::string end;     // "complete", or how it broke down: "collapsed", "not finite"
  std::string reason;  // empty where it is complete
  int64_t iterations = 0, pairs = 0;
  double seconds = 0;  // of training
  nlohmann::json settings = nullptr;  // option -> value: what it was trained with

  bool is_complete() const { return end == "complete"; }
};

class ExperimentFolder {
 public:
  ExperimentFolder(const Grid& grid, std::filesystem::path out);

  const std::filesystem::path& path() const { return out_; }
  std::string name(const Trial& trial) const;  // "uniform-weights-none-seed3"
  std::filesystem::path run(const Trial& trial) const { return out_ / "runs" / name(trial); }
  std::filesystem::path store(const GridData& data) const { return out_ / "stores" / slug(data.name); }

  // What is there; nothing where it is not, or not yet. Throws Error for a file that cannot be read.
  std::optional<TrialOutcome> outcome(const Trial& trial) const;
  std::optional<nlohmann::json> score(const Trial& trial, const GridJudge& judge) const;
  std::optional<nlohmann::json> reference_score(const std::string& model, const GridJudge& judge) const;

  void save(const Trial& trial, const TrialOutcome& outcome) const;
  void save(const Trial& trial, const GridJudge& judge, const nlohmann::ordered_json& score) const;
  void save_reference(const std::string& model, const GridJudge& judge, const nlohmann::ordered_json& score) const;

 private:
  std::filesystem::path score_file(const std::string& trial, const std::string& what) const;

  const Grid& grid_;
  std::filesystem::path out_;
};

}  // namespace adasample
