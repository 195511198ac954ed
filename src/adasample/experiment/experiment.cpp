// SPDX-License-Identifier: Apache-2.0
#include "adasample/experiment/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/json.h"
#include "adasample/base/log.h"
#include "adasample/data/patch_store.h"
#include "adasample/data/synthetic.h"
#include "adasample/engine/open_model.h"
#include "adasample/eval/statistics/result_values.h"
#include "adasample/experiment/judges.h"
#include "adasample/experiment/problems.h"
#include "adasample/experiment/training_run.h"

namespace adasample {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;
namespace fs = std::filesystem;

// Lengths that differ by less are taken for equal: the run over equal pairs stands for both.
constexpr double kEqualLength = 0.02;

double middle(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

class Experiment {
 public:
  Experiment(const Grid& grid, const ExperimentOptions& options, const OptionText& text)
      : grid_(grid), options_(options), text_(text), folder_(grid, options.out) {}

  ExperimentEnd run() {
    fs::create_directories(options_.out);
    for (const std::string& told : grid_.problems) problem(told);
    plan_arms();
    if (trains()) make_stores();
    attempt("lengths.json", [&] { read_lengths(); });
    refuse_strangers();
    if (options_.part != ExperimentPart::kReport) {
      if (options_.part != ExperimentPart::kTrain) open_judges();
      work_through(Budget::kPairs);
      if (trains() && !stop_requested()) attempt("lengths.json", [&] { choose_lengths(); });
      work_through(Budget::kSeconds);
      if (!stop_requested() && options_.part != ExperimentPart::kTrain) score_references();
    }
    end_.interrupted = stop_requested();
    end_.results = collect_results(grid_, folder_, refused_);
    for (const std::string& note : end_.results.notes) problem(note);
    end_.results.notes = problems_.kept();
    if (options_.part != ExperimentPart::kTrain) write_results();
    end_.problems = problems_.take();
    return std::move(end_);
  }

 private:
  bool trains() const { return options_.part == ExperimentPart::kAll || options_.part == ExperimentPart::kTrain; }

  void problem(const std::string& what) { problems_.tell(what); }
  template <typename Work>
  bool attempt(const std::string& what, const Work& work) {
    return problems_.attempt(what, work);
  }

  // The options of every arm, before anything is trained: a typing error is told at once.
  void plan_arms() {
    plans_.resize(grid_.arms.size());
    for (size_t arm = 0; arm < grid_.arms.size(); ++arm) {
      attempt(fmt::format("arm {}", grid_.arms[arm].name), [&] { plans_[arm] = options_of(grid_.arms[arm]); });
    }
  }

  TrainOptions options_of(const GridArm& arm) const {
    std::string preset = "robust";
    for (const auto* options : {&grid_.train, &arm.options}) {
      if (const auto found = options->find("preset"); found != options->end()) preset = found->second;
    }
    TrainOptions plan = make_preset(preset, options_.device);
    for (const auto* options : {&grid_.train, &arm.options}) {
      for (const auto& [name, value] : *options) {
        ADA_CHECK(text_.set(plan, name, value), "{} = '{}': no such option of `train`, or no value for it", name, value);
      }
    }
    if (trains()) plan.validate();  // what was trained on a GPU may be scored on a CPU, which could not have done it
    return plan;
  }

  void make_stores() {
    for (const std::vector<GridData>* some : {&grid_.data, &grid_.heldout}) {
      for (const GridData& data : *some) {
        if (!data.is_made() || stop_requested()) continue;
        attempt(fmt::format("data {}", data.name), [&] { make_store(data); });
      }
    }
  }

  void make_store(const GridData& data) {
    const fs::path folder = folder_.store(data);
    if (!fs::exists(folder)) {
      fs::create_directories(folder.parent_path());
      SyntheticOptions synth;
      synth.classes = data.classes;
      synth.cut.views = static_cast<int>(data.views);
      synth.seed = data.seed;
      synth.part = data.heldout ? "heldout" : "train";
      make_synthetic_store(synth, folder);
    }
    const PatchStore store = PatchStore::open(folder);
    ADA_CHECK(store.class_count() == data.classes && store.class_size(0) == data.views &&
                  store.meta().value("seed", json()) == data.seed,
              "{} was made with {} classes of {} views, the grid asks for {} of {} - choose another --out",
              folder.string(), store.class_count(), store.class_size(0), data.classes, data.views);
  }

  std::vector<std::string> stores_of(const GridArm& arm) const {
    const GridData& data = *grid_.find_data(arm.data);
    return data.is_made() ? std::vector{folder_.store(data).string()} : data.stores;
  }

  void open_judges() {
    for (const GridJudge& judge : grid_.judges) {
      const GridData* data = grid_.find_data(judge.data);
      const std::string place = data == nullptr     ? judge.data
                                : data->is_made()   ? folder_.store(*data).string()
                                                    : data->stores.front();
      attempt(fmt::format("judge {}", judge.name), [&] { judges_[judge.name] = make_judge(judge, place); });
    }
  }

  void work_through(Budget budget) {
    const std::vector<Trial> trials = trials_of(grid_, budget);
    size_t number = 0;
    for (const Trial& trial : trials) {
      ++number;
      if (stop_requested()) return;
      if (!plans_[trial.arm] || refused_.contains(folder_.name(trial))) continue;
      const std::string label = fmt::format("[{}/{}] {}", number, trials.size(), folder_.name(trial));
      attempt(folder_.name(trial), [&] {
        std::optional<TrialOutcome> outcome = folder_.outcome(trial);
        if (!outcome && trains()) outcome = train(trial, label);
        // It has ended: nothing is to be resumed. Also what a process that was killed meanwhile has left of them.
        if (outcome && trains() && !grid_.keep_checkpoints) remove_tree(folder_.run(trial) / "checkpoints");
        if (!outcome) return;
        if (!outcome->is_complete()) {
          problem(fmt::format("{} {}: {}", folder_.name(trial), outcome->end, outcome->reason));
        } else if (options_.part != ExperimentPart::kTrain) {
          score(trial, label);
        }
      });
    }
  }

  // The plan of a trial; nothing where equal seconds have no length yet.
  std::optional<TrainOptions> plan_of(const Trial& trial) const {
    TrainOptions plan = *plans_[trial.arm];
    plan.seed = trial.seed;
    if (trial.budget == Budget::kSeconds) {
      const auto length = lengths_.find(trial.arm);
      if (length == lengths_.end()) return std::nullopt;
      plan.iterations = length->second;
    }
    return plan;
  }

  // All that decides what is learned, by name.
  json settings_of(const TrainOptions& plan) const {
    json settings = text_.values(plan);
    settings["seed"] = std::to_string(plan.seed);
    for (const char* free : {"checkpoint-minutes", "checkpoint-every", "keep-last", "keep-every", "log-every"}) {
      settings.erase(free);
    }
    return settings;
  }

  // The stores' fingerprints, where they are at hand: scores may be looked at without them.
  json data_of(const GridArm& arm) const {
    json all = json::array();
    for (const std::string& folder : stores_of(arm)) {
      if (!fs::exists(folder)) return nullptr;
      all.push_back(PatchStore::open(folder).fingerprint());
    }
    return all;
  }

  // Trials of this name that were trained with other options or on other data than the grid asks for: told, and neither
  // gone on with nor mixed with the others.
  void refuse_strangers() {
    for (const Budget budget : {Budget::kPairs, Budget::kSeconds}) {
      for (const Trial& trial : trials_of(grid_, budget)) {
        if (!plans_[trial.arm]) continue;
        if (!attempt(folder_.name(trial), [&] { check_settings(trial); })) refused_.insert(folder_.name(trial));
      }
    }
  }

  void check_settings(const Trial& trial) {
    const std::optional<TrialOutcome> outcome = folder_.outcome(trial);
    const std::optional<TrainOptions> plan = plan_of(trial);
    if (!outcome || !plan || outcome->settings.is_null()) return;
    const GridArm& arm = grid_.arms[trial.arm];
    json now = settings_of(*plan);
    if (!trains()) {  // perhaps on another device, whose preset is another: what the grid names must be the same
      for (auto option = now.begin(); option != now.end();) {
        const bool named = grid_.train.contains(option.key()) || arm.options.contains(option.key());
        option = named || option.key() == "seed" ? std::next(option) : now.erase(option);
      }
      if (trial.budget == Budget::kSeconds) now.erase("iterations");
    }
    for (const auto& [name, value] : now.items()) {
      const json before = outcome->settings.value(name, json());
      ADA_CHECK(before == value, "trained with {} = {}, the grid says {} - choose another --out", name, before.dump(),
                value.dump());
    }
    if (!data_.contains(arm.data)) data_[arm.data] = data_of(arm);
    const json before = outcome->settings.value("data", json());
    ADA_CHECK(before.is_null() || data_[arm.data].is_null() || before == data_[arm.data],
              "trained on other data than {} holds now - choose another --out", arm.data);
  }

  TrialOutcome outcome_of(const json& result, const TrainOptions& plan, const GridArm& arm) const {
    TrialOutcome outcome;
    outcome.end = result.value("end", "");
    outcome.reason = result.value("reason", "");
    outcome.iterations = result.value("iterations", int64_t{0});
    outcome.pairs = result.value("pairs", int64_t{0});
    outcome.seconds = result.value("seconds", 0.0);
    outcome.settings = settings_of(plan);
    outcome.settings["data"] = data_of(arm);
    return outcome;
  }

  // Nothing where it was stopped, or has no length.
  std::optional<TrialOutcome> train(const Trial& trial, const std::string& label) {
    const std::optional<TrainOptions> plan = plan_of(trial);
    if (!plan) return std::nullopt;
    if (trial.budget == Budget::kSeconds && plan->iterations == plans_[trial.arm]->total_iterations()) {
      return take_over(trial, *plan);
    }
    const fs::path out = folder_.run(trial);
    fs::create_directories(out.parent_path());
    std::optional<RunFolder> reopened;
    if (fs::exists(out)) reopened = RunFolder::reopen(out);
    RunInputs inputs;
    inputs.data = stores_of(grid_.arms[trial.arm]);
    inputs.out = out.string();
    TrialOutcome outcome;
    {
      TrainingRun run({*plan, inputs}, text_, std::move(reopened));
      if (!run.start()) {
        outcome = outcome_of(run.folder().result(), *plan, grid_.arms[trial.arm]);
      } else {
        const TrainResult result = run.train(label);
        if (result.end == TrainResult::End::kStopped) return std::nullopt;
        outcome = outcome_of(result_json(result), *plan, grid_.arms[trial.arm]);
      }
    }
    folder_.save(trial, outcome);
    return outcome;
  }

  // The trial over equal pairs has just this length.
  std::optional<TrialOutcome> take_over(const Trial& trial, const TrainOptions& plan) {
    Trial same = trial;
    same.budget = Budget::kPairs;
    std::optional<TrialOutcome> outcome = folder_.outcome(same);
    if (!outcome) return outcome;
    outcome->settings = settings_of(plan);
    outcome->settings["data"] = data_of(grid_.arms[trial.arm]);
    folder_.save(trial, *outcome);
    return outcome;
  }

  void score(const Trial& trial, const std::string& label) {
    std::string said;
    std::unique_ptr<Descriptor> descriptor;
    for (const GridJudge& judge : grid_.judges) {
      const auto opened = judges_.find(judge.name);
      if (opened == judges_.end()) continue;
      if (stop_requested()) return;
      if (const std::optional<json> there = folder_.score(trial, judge)) {
        if (there->value("data_sha256", opened->second->fingerprint()) == opened->second->fingerprint()) continue;
        refused_.insert(folder_.name(trial) + "/" + judge.name);
        problem(fmt::format("judge {}: scores were given on other data than {} holds now - choose another --out",
                            judge.name, judge.data));
        continue;
      }
      attempt(fmt::format("{}, judge {}", folder_.name(trial), judge.name), [&] {
        const std::optional<ordered_json> score = score_of(trial, judge, *opened->second, descriptor);
        if (!score) return;
        folder_.save(trial, judge, *score);
        const json& shown = *score;
        if (const std::optional<double> value = find_value(shown, judge.figures.front())) {
          said += fmt::format("; {} {} {:.2f} %", judge.name, judge.figures.front(), 100 * *value);
        }
      });
    }
    if (!said.empty()) log_info("{}{}", label, said);
  }

  // Nothing where the judge must not score what this was trained on.
  std::optional<ordered_json> score_of(const Trial& trial, const GridJudge& judge, const Judge& opened,
                                       std::unique_ptr<Descriptor>& descriptor) {
    const GridArm& arm = grid_.arms[trial.arm];
    const std::pair pair(judge.name, arm.data);
    if (!allowed_.contains(pair)) {
      allowed_[pair] = attempt(fmt::format("judge {} leaves out what was trained on {}", judge.name, arm.data),
                               [&] { opened.refuse_trained_on(stores_of(arm)); });
    }
    if (!allowed_[pair]) return std::nullopt;
    Trial same = trial;
    same.budget = Budget::kPairs;
    const bool taken_over = trial.budget == Budget::kSeconds && !fs::exists(folder_.run(trial));
    if (taken_over) {
      const std::optional<json> score = folder_.score(same, judge);
      if (score) return ordered_json(*score);
    }
    if (!descriptor) {
      const std::string run = folder_.run(taken_over ? same : trial).string();
      descriptor = open_model(run, {.engine = "auto", .device = options_.device}).descriptor;
    }
    ordered_json score = opened.score(*descriptor);
    score["model"] = folder_.name(trial);
    score["model_seed"] = trial.seed;  // which `eval compare` pairs by
    return score;
  }

  void score_references() {
    for (const std::string& model : grid_.references) {
      attempt(fmt::format("reference {}", model), [&] {
        std::unique_ptr<Descriptor> descriptor;
        for (const GridJudge& judge : grid_.judges) {
          const auto opened = judges_.find(judge.name);
          if (opened == judges_.end() || folder_.reference_score(model, judge) || stop_requested()) continue;
          if (!descriptor) descriptor = open_model(model, {.engine = "auto", .device = options_.device}).descriptor;
          folder_.save_reference(model, judge, opened->second->score(*descriptor));
        }
      });
    }
  }

  fs::path lengths_file() const { return options_.out / "lengths.json"; }
  std::string length_key(size_t arm) const { return grid_.arms[arm].name + " on " + grid_.arms[arm].data; }

  void read_lengths() {
    if (!fs::exists(lengths_file())) return;
    const json kept = read_json(lengths_file(), "experiment");
    ADA_CHECK(kept.is_object(), "expected a JSON object");
    for (size_t arm = 0; arm < grid_.arms.size(); ++arm) {
      const auto found = kept.find(length_key(arm));
      if (found == kept.end()) continue;
      ADA_CHECK(found->is_number_integer() && *found > 0, "{}: expected a number of iterations", length_key(arm));
      lengths_[arm] = *found;
    }
  }

  // Equal seconds: what the runs over equal pairs took decides, once all of them have ended; then it is kept, so that an
  // experiment that goes on elsewhere goes on with the same lengths. Arms are compared with those on the same data,
  // planned as long.
  void choose_lengths() {
    for (const Trial& trial : trials_of(grid_, Budget::kPairs)) {
      if (plans_[trial.arm] && !refused_.contains(folder_.name(trial)) && !folder_.outcome(trial)) return;
    }
    json kept = json::object();
    for (const auto& [arm, iterations] : lengths_) kept[length_key(arm)] = iterations;
    std::map<std::pair<std::string, int64_t>, double> clocks;
    std::map<size_t, double> seconds;
    for (size_t arm = 0; arm < grid_.arms.size(); ++arm) {
      if (!plans_[arm]) continue;
      std::vector<double> taken;
      for (const uint64_t seed : grid_.seeds) {
        const std::optional<TrialOutcome> outcome = folder_.outcome({arm, Budget::kPairs, seed});
        if (outcome && outcome->is_complete()) taken.push_back(outcome->seconds);
      }
      if (taken.empty()) continue;
      seconds[arm] = middle(taken);
      double& clock = clocks[{grid_.arms[arm].data, plans_[arm]->total_iterations()}];
      clock = std::max(clock, seconds[arm]);
    }
    for (const auto& [arm, own] : seconds) {
      const std::vector<Budget>& budgets = grid_.arms[arm].budgets;
      if (std::find(budgets.begin(), budgets.end(), Budget::kSeconds) == budgets.end()) continue;
      const int64_t iterations = plans_[arm]->total_iterations();
      if (lengths_.contains(arm)) continue;
      lengths_[arm] = iterations_in_equal_time(iterations, clocks.at({grid_.arms[arm].data, iterations}), own);
      kept[length_key(arm)] = lengths_[arm];
    }
    if (!lengths_.empty()) write_file_atomically(lengths_file(), kept.dump(1) + "\n");
  }

  // A file that another process is writing just now is told, and the others written.
  void write_results() {
    const ExperimentResults& results = end_.results;
    const auto write = [&](const char* name, const std::string& text) {
      attempt(name, [&] { write_file_atomically(options_.out / name, text); });
    };
    write("table.txt", results.text() + "\n");
    write("table.md", results.markdown());
    write("result.json", results.json().dump(1) + "\n");
    write("report.html", results.html());
  }

  const Grid& grid_;
  const ExperimentOptions& options_;
  const OptionText& text_;
  ExperimentFolder folder_;
  std::vector<std::optional<TrainOptions>> plans_;        // of each arm; none where it cannot be planned
  std::map<size_t, int64_t> lengths_;                     // by arm: iterations in equal time
  std::map<std::string, std::unique_ptr<Judge>> judges_;  // by name, those that have data
  std::map<std::pair<std::string, std::string>, bool> allowed_;  // (judge, training data)
  std::set<std::string> refused_;     // trials, and "TRIAL/JUDGE", that belong to something else
  std::map<std::string, json> data_;  // fingerprints of the stores, by name; null where they are not here
  Problems problems_;
  ExperimentEnd end_;
};

}  // namespace

int64_t iterations_in_equal_time(int64_t iterations, double clock, double own) {
  const double ratio = clock / own;
  if (ratio < 1 + kEqualLength) return iterations;
  return std::llround(static_cast<double>(iterations) * ratio);
}

ExperimentEnd run_experiment(const Grid& grid, const ExperimentOptions& options, const OptionText& text) {
  return Experiment(grid, options, text).run();
}

}  // namespace adasample
