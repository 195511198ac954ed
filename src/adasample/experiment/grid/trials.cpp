// SPDX-License-Identifier: Apache-2.0
#include "adasample/experiment/grid/trials.h"

#include <fmt/format.h>

#include <algorithm>

#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/eval/statistics/result_values.h"

namespace adasample {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;
namespace fs = std::filesystem;

std::optional<json> read_score(const fs::path& file) {
  if (!fs::exists(file)) return std::nullopt;
  return parse_result(read_text(file), file.string());
}

void write_json(const fs::path& file, const ordered_json& object) {
  fs::create_directories(file.parent_path());
  write_file_atomically(file, object.dump(1, ' ', false, json::error_handler_t::replace) + "\n");
}

}  // namespace

std::vector<Trial> trials_of(const Grid& grid, Budget budget) {
  std::vector<Trial> trials;
  for (const uint64_t seed : grid.seeds) {
    for (size_t arm = 0; arm < grid.arms.size(); ++arm) {
      const std::vector<Budget>& budgets = grid.arms[arm].budgets;
      // Seconds are measured by the runs over equal pairs, so those are needed in any case.
      if (budget == Budget::kPairs || std::find(budgets.begin(), budgets.end(), budget) != budgets.end()) {
        trials.push_back({arm, budget, seed});
      }
    }
  }
  return trials;
}

ExperimentFolder::ExperimentFolder(const Grid& grid, fs::path out) : grid_(grid), out_(std::move(out)) {}

std::string ExperimentFolder::name(const Trial& trial) const {
  const GridArm& arm = grid_.arms[trial.arm];
  std::string name = slug(arm.name);
  if (grid_.data.size() > 1) name += "-on-" + slug(arm.data);
  if (trial.budget == Budget::kSeconds) name += "-seconds";
  return fmt::format("{}-seed{}", name, trial.seed);
}

fs::path ExperimentFolder::score_file(const std::string& trial, const std::string& what) const {
  return out_ / "scores" / trial / (what + ".json");
}

std::optional<TrialOutcome> ExperimentFolder::outcome(const Trial& trial) const {
  const fs::path file = score_file(name(trial), "run");
  const std::optional<json> found = read_score(file);
  if (!found) return std::nullopt;
  TrialOutcome outcome;
  const auto end = found->find("end");
  ADA_CHECK(end != found->end() && end->is_string(), "[experiment] {}: expected \"end\"", file.string());
  outcome.end = end->get<std::string>();
  if (const auto reason = found->find("reason"); reason != found->end() && reason->is_string()) {
    outcome.reason = reason->get<std::string>();
  }
  outcome.iterations = static_cast<int64_t>(result_value(*found, "iterations", file.string()));
  outcome.pairs = static_cast<int64_t>(result_value(*found, "pairs", file.string()));
  outcome.seconds = result_value(*found, "seconds", file.string());
  if (const auto settings = found->find("settings"); settings != found->end() && settings->is_object()) {
    outcome.settings = *settings;
  }
  return outcome;
}

std::optional<json> ExperimentFolder::score(const Trial& trial, const GridJudge& judge) const {
  return read_score(score_file(name(trial), slug(judge.name)));
}

std::optional<json> ExperimentFolder::reference_score(const std::string& model, const GridJudge& judge) const {
  return read_score(score_file("reference-" + slug(model), slug(judge.name)));
}

void ExperimentFolder::save(const Trial& trial, const TrialOutcome& outcome) const {
  ordered_json object = {{"arm", grid_.arms[trial.arm].name},
                         {"data", grid_.arms[trial.arm].data},
                         {"budget", to_string(trial.budget)},
                         {"seed", trial.seed},
                         {"end", outcome.end},
                         {"iterations", outcome.iterations},
                         {"pairs", outcome.pairs},
                         {"seconds", outcome.seconds}};
  if (!outcome.reason.empty()) object["reason"] = outcome.reason;
  if (!outcome.settings.is_null()) object["settings"] = outcome.settings;
  write_json(score_file(name(trial), "run"), object);
}

void ExperimentFolder::save(const Trial& trial, const GridJudge& judge, const ordered_json& score) const {
  write_json(score_file(name(trial), slug(judge.name)), score);
}

void ExperimentFolder::save_reference(const std::string& model, const GridJudge& judge,
                                      const ordered_json& score) const {
  write_json(score_file("reference-" + slug(model), slug(judge.name)), score);
}

}  // namespace adasample
