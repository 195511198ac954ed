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
#include "adasample/base/log.h"
#include "adasample/data/patch_store.h"
#include "adasample/data/synthetic.h"
#include "adasample/engine/open_model.h"
#include "adasample/experiment/judges.h"
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
    end_.problems = grid_.problems;
    for (const std::string& problem : grid_.problems) log_warning("{}", problem);
    plan_arms();
    if (options_.part != ExperimentPart::kReport) {
      make_stores();
      if (options_.part != ExperimentPart::kTrain) open_judges();
      for (const Budget budget : {Budget::kPairs, Budget::kSeconds}) {
        if (budget == Budget::kSeconds) choose_lengths();
        work_through(budget);
      }
      if (!stop_requested() && options_.part != ExperimentPart::kTrain) score_references();
    }
    end_.interrupted = stop_requested();
    end_.results = collect_results(grid_, folder_);
    end_.results.notes = end_.problems;
    if (options_.part != ExperimentPart::kTrain) write_results();
    return std::move(end_);
  }

 private:
  // Told once, however many trials meet it.
  void problem(const std::string& what) {
    if (!told_.insert(what).second) return;
    log_warning("{}", what);
    end_.problems.push_back(what);
  }

  // Does it, or tells why not. An interruption is no problem; everybody looks at stop_requested().
  template <typename Work>
  bool attempt(const std::string& what, const Work& work) {
    try {
      work();
      return true;
    } catch (const Error& error) {
      if (error.kind() == Error::Kind::kInterrupted) return false;
      if (error.kind() == Error::Kind::kBug) throw;
      problem(fmt::format("{}: {}", what, error.what()));
    } catch (const std::exception& error) {  // LibTorch's: out of memory, as a rule. Its first line says it
      const std::string text = error.what();
      problem(fmt::format("{}: {}", what, text.substr(0, text.find('\n'))));
    }
    return false;
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
    plan.validate();
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
      if (!plans_[trial.arm]) continue;
      const std::string label = fmt::format("[{}/{}] {}", number, trials.size(), folder_.name(trial));
      attempt(folder_.name(trial), [&] {
        std::optional<TrialOutcome> outcome = known_outcome(trial);
        if (!outcome && options_.part != ExperimentPart::kScore) outcome = train(trial, label);
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

  std::optional<TrialOutcome> known_outcome(const Trial& trial) const {
    const std::optional<TrialOutcome> outcome = folder_.outcome(trial);
    const std::optional<TrainOptions> plan = plan_of(trial);
    if (!outcome || !plan || outcome->settings.is_null()) return outcome;
    const json now = settings_of(*plan);
    for (const auto& [name, value] : now.items()) {
      const json before = outcome->settings.value(name, json());
      ADA_CHECK(before == value, "trained with {} = {}, the grid says {} - choose another --out", name, before.dump(),
                value.dump());
    }
    return outcome;
  }

  TrialOutcome outcome_of(const json& result, const TrainOptions& plan) const {
    TrialOutcome outcome;
    outcome.end = result.value("end", "");
    outcome.reason = result.value("reason", "");
    outcome.iterations = result.value("iterations", int64_t{0});
    outcome.pairs = result.value("pairs", int64_t{0});
    outcome.seconds = result.value("seconds", 0.0);
    outcome.settings = settings_of(plan);
    return outcome;
  }

  // Nothing where it was stopped, or has no length.
  std::optional<TrialOutcome> train(const Trial& trial, const std::string& label) {
    const std::optional<TrainOptions> plan = plan_of(trial);
    if (!plan) return std::nullopt;
    if (trial.budget == Budget::kSeconds && plan->iterations == plans_[trial.arm]->total_iterations()) {
      return take_over(trial);
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
        outcome = outcome_of(run.folder().result(), *plan);
      } else {
        const TrainResult result = run.train(label);
        if (result.end == TrainResult::End::kStopped) return std::nullopt;
        outcome = outcome_of(result_json(result), *plan);
      }
    }
    folder_.save(trial, outcome);
    if (!grid_.keep_checkpoints) fs::remove_all(out / "checkpoints");  // it has ended: nothing is to be resumed
    return outcome;
  }

  // The trial over equal pairs has just this length.
  std::optional<TrialOutcome> take_over(const Trial& trial) {
    Trial same = trial;
    same.budget = Budget::kPairs;
    const std::optional<TrialOutcome> outcome = folder_.outcome(same);
    if (outcome) folder_.save(trial, *outcome);
    return outcome;
  }

  void score(const Trial& trial, const std::string& label) {
    std::string said;
    std::unique_ptr<Descriptor> descriptor;
    for (const GridJudge& judge : grid_.judges) {
      const auto opened = judges_.find(judge.name);
      if (opened == judges_.end() || folder_.score(trial, judge)) continue;
      if (stop_requested()) return;
      attempt(fmt::format("{}, judge {}", folder_.name(trial), judge.name), [&] {
        const std::optional<ordered_json> score = score_of(trial, judge, *opened->second, descriptor);
        if (!score) return;
        folder_.save(trial, judge, *score);
        const json& shown = *score;
        if (const std::optional<double> value = figure_in(shown, judge.figures.front())) {
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
    return opened.score(*descriptor);
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

  // Equal seconds: what the runs over equal pairs took decides, once; then it is kept, so that an experiment that goes
  // on elsewhere goes on with the same lengths. Arms are compared with those on the same data, planned as long.
  void choose_lengths() {
    const fs::path file = options_.out / "lengths.json";
    json kept = json::object();
    if (fs::exists(file)) kept = json::parse(read_text(file), nullptr, /*allow_exceptions=*/false);
    ADA_CHECK(kept.is_object(), "[experiment] {}: expected a JSON object", file.string());
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
      const std::string key = grid_.arms[arm].name + " on " + grid_.arms[arm].data;
      if (!kept.contains(key)) {
        kept[key] = iterations_in_equal_time(iterations, clocks.at({grid_.arms[arm].data, iterations}), own);
      }
      ADA_CHECK(kept[key].is_number_integer() && kept[key] > 0, "[experiment] {}: {}: expected a number of iterations",
                file.string(), key);
      lengths_[arm] = kept[key];
    }
    if (!lengths_.empty()) write_file_atomically(file, kept.dump(1) + "\n");
  }

  void write_results() const {
    const ExperimentResults& results = end_.results;
    write_file_atomically(options_.out / "table.txt", results.text() + "\n");
    write_file_atomically(options_.out / "table.md", results.markdown());
    write_file_atomically(options_.out / "result.json", results.json().dump(1) + "\n");
    write_file_atomically(options_.out / "report.html", results.html());
  }

  const Grid& grid_;
  const ExperimentOptions& options_;
  const OptionText& text_;
  ExperimentFolder folder_;
  std::vector<std::optional<TrainOptions>> plans_;        // of each arm; none where it cannot be planned
  std::map<size_t, int64_t> lengths_;                     // by arm: iterations in equal time
  std::map<std::string, std::unique_ptr<Judge>> judges_;  // by name, those that have data
  std::map<std::pair<std::string, std::string>, bool> allowed_;  // (judge, training data)
  std::set<std::string> told_;
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
