// SPDX-License-Identifier: Apache-2.0
#include "adasample/experiment/demo.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/log.h"
#include "adasample/data/store/contact_sheet.h"
#include "adasample/data/synthetic.h"
#include "adasample/engine/open_model.h"
#include "adasample/experiment/heldout_pairs.h"
#include "adasample/experiment/training_run.h"
#include "adasample/image/files/png.h"
#include "adasample/net/net_descriptor.h"
#include "adasample/train/device.h"
#include "adasample/train/trainer.h"

namespace adasample {
namespace {

// The first warm up; a GPU records the fourth, and only those after it show its speed.
constexpr int64_t kTimingIterations = 4, kGpuTimingIterations = 200;

TrainOptions uniform_options(const TrainOptions& adasample) {
  TrainOptions uniform = adasample;
  uniform.sampler = "random";
  uniform.weights = "none";
  return uniform;
}

bool is_available(const std::string& name) {
  const auto kinds = registered_descriptors();
  return std::any_of(kinds.begin(), kinds.end(),
                     [&](const DescriptorKind& kind) { return kind.name == name && kind.problem("cpu").empty(); });
}

class Demo {
 public:
  Demo(const DemoOptions& options, const OptionText& text) : options_(options), text_(text) {}

  DemoResult run() {
    make_stores();
    try {
      compare_untrained();
      train_all();
    } catch (const Error& error) {
      if (error.kind() != Error::Kind::kInterrupted) throw;
    }
    result_.interrupted = stop_requested();
    result_.rows.insert(result_.rows.end(), {uniform_pairs_, uniform_seconds_, adasample_});
    std::erase_if(result_.rows, [](const DemoRow& row) { return row.scores.empty(); });
    write_file_atomically(options_.out / "table.txt", result_.table() + result_.verdict() + "\n");
    write_file_atomically(options_.out / "result.json", result_.json().dump(2) + "\n");
    write_report();
    ADA_CHECK(failure_.empty(), "[demo] {}; the table holds what was finished", failure_);
    return std::move(result_);
  }

 private:
  void make_stores() {
    SyntheticOptions synth;
    synth.cut.views = options_.views;
    synth.redetect.on = true;
    synth.classes_per_scene = options_.classes_per_scene;
    synth.seed = options_.seed;
    synth.classes = options_.train_classes;
    make_synthetic_store(synth, options_.out / "train");
    synth.part = "heldout";
    synth.classes = options_.heldout_classes;
    make_synthetic_store(synth, options_.out / "heldout");
    train_.emplace(PatchStore::open(options_.out / "train"));
    heldout_.emplace(PatchStore::open(options_.out / "heldout"));
    write_png(options_.out / "patches.png", contact_sheet(*train_, {}));
  }

  void compare(Descriptor& descriptor, const std::string& name) {
    const HeldoutPairs::Scored scored = pairs_->score(descriptor, name);
    result_.rows.push_back({name, {scored.scores}});
    result_.references.push_back(parse_curves(scored.curves, name));
  }

  // All runs side by side, with the table and the curves of what is not trained.
  void write_report() const {
    Report report{"Demo", {}, {result_.report_table()}, result_.references};
    for (const std::filesystem::path& run : result_.runs) report.runs.push_back(read_run(run));
    if (!report.runs.empty()) write_file_atomically(options_.out / "report.html", html_report(report));
  }

  void compare_untrained() {
    pairs_.emplace(*heldout_, PairOptions{.pairs = options_.evaluation_pairs, .seed = options_.seed});
    compare(*make_descriptor(untrained_weights(options_.seed), "untrained", options_.training.device),
            "untrained network");
    for (const auto& [name, title] : {std::pair("sift", "SIFT"), std::pair("rootsift", "RootSIFT")}) {
      if (is_available(name)) compare(*open_model(name).descriptor, title);
    }
    if (!is_available("sift")) log_info("built without OpenCV: no rows for SIFT and RootSIFT");
  }

  // Seconds of one iteration, measured by a few of them.
  double seconds_per_iteration(TrainOptions options) const {
    options.iterations = 1;
    MemorySink sink;
    Trainer(options, {&*train_}).run(sink);
    options.iterations = options.device == "cpu" ? kTimingIterations : kGpuTimingIterations;
    return Trainer(options, {&*train_}).run(sink).seconds / static_cast<double>(options.iterations);
  }

  void train_all() {
    const TrainOptions uniform = uniform_options(options_.training);
    const double adasample_step = seconds_per_iteration(options_.training),
                 uniform_step = seconds_per_iteration(uniform);
    // A seed costs AdaSample's T seconds, the uniform run over as many pairs, and the uniform run over T seconds.
    // A few iterations show a machine at its best; a tenth is kept back so that the runs stay inside the time.
    const double per_iteration = (2 * adasample_step + uniform_step) / 0.9;
    const auto iterations = static_cast<int64_t>(60 * options_.minutes / options_.seeds / per_iteration);
    ADA_CHECK(iterations >= 10,
              "[demo] {:.1f} minutes are too short here: an iteration takes {:.2f} s - allow more --minutes",
              options_.minutes, adasample_step);
    log_info("{} iterations of {} pairs a run; {} seed{}", iterations, options_.training.batch, options_.seeds,
             options_.seeds == 1 ? "" : "s");
    for (int s = 0; s < options_.seeds && !stop_requested(); ++s) {
      const TrainResult ada = train("adasample", options_.training, iterations, s, adasample_);
      if (stop_requested()) break;
      const TrainResult equal_pairs = train("uniform-pairs", uniform, iterations, s, uniform_pairs_);
      if (stop_requested()) break;
      const auto longer =
          static_cast<int64_t>(std::round(static_cast<double>(iterations) * ada.seconds / equal_pairs.seconds));
      train("uniform-seconds", uniform, longer, s, uniform_seconds_);
    }
  }

  TrainResult train(const std::string& name, TrainOptions options, int64_t iterations, int s, DemoRow& row) {
    options.iterations = iterations;
    options.seed = options_.seed + static_cast<uint64_t>(s);
    const std::string label = fmt::format("{}-{}", name, options.seed);
    const RunInputs inputs{.data = {train_->folder().string()},
                           .out = (options_.out / label).string(),
                           .init = {},
                           .val = {},
                           .share = {}};
    TrainingRun run({options, inputs}, text_);
    run.start();
    const TrainResult result = run.train(label);
    if (result.end == TrainResult::End::kStopped) return result;
    if (result.end != TrainResult::End::kComplete) {
      failure_ = fmt::format("{}: {}", label, result.reason);
      log_warning("{}", failure_);
      return result;
    }
    const HeldoutPairs::Scored scored =
        pairs_->score(*make_descriptor(result.weights, label, options_.training.device), label);
    row.scores.push_back(scored.scores);
    run.write_curves(scored.curves);
    run.write_report();
    result_.runs.push_back(run.path());
    const double share = 1.0 / static_cast<double>(row.scores.size());
    row.pairs += share * (static_cast<double>(result.pairs) - row.pairs);
    row.seconds += share * (result.seconds - row.seconds);
    log_info("{}: FPR95 {:.2f} % after {} pairs in {:.0f} s", label, 100 * row.scores.back().fpr95.value, result.pairs,
             result.seconds);
    return result;
  }

  const DemoOptions& options_;
  const OptionText& text_;
  std::optional<PatchStore> train_, heldout_;
  std::optional<HeldoutPairs> pairs_;
  DemoResult result_;
  std::string failure_;  // of the last run that broke down
  DemoRow uniform_pairs_{.name = kUniformPairsRow, .scores = {}};
  DemoRow uniform_seconds_{.name = kUniformSecondsRow, .scores = {}};
  DemoRow adasample_{.name = kAdaSampleRow, .scores = {}};
};

std::string fpr95_text(const DemoRow& row) {
  if (row.scores.size() < 2) return fmt::format("{:.2f}", 100 * row.mean_fpr95());
  return fmt::format("{:.2f} +- {:.2f}", 100 * row.mean_fpr95(), 100 * row.fpr95_deviation());
}

template <typename Value>
double mean_of(const std::vector<PairScores>& scores, Value value) {
  double sum = 0;
  for (const PairScores& s : scores) sum += value(s);
  return sum / static_cast<double>(scores.size());
}

const DemoRow* row_of(const std::vector<DemoRow>& rows, const std::string& name) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const DemoRow& row) { return row.name == name; });
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace

void DemoOptions::validate() const {
  ADA_USAGE(minutes > 0 && minutes <= 1e5, "minutes = {}, must be in (0, 100000]", minutes);
  ADA_USAGE(seeds >= 1 && seeds <= 100, "seeds = {}, must be between 1 and 100", seeds);
  training.validate();
  ADA_USAGE(train_classes >= training.batch, "classes = {}, must be at least the batch, {}", train_classes,
            training.batch);
}

double DemoRow::mean_fpr95() const {
  return mean_of(scores, [](const PairScores& s) { return s.fpr95.value; });
}

double DemoRow::fpr95_deviation() const {
  if (scores.size() < 2) return 0;
  const double mean = mean_fpr95(), n = static_cast<double>(scores.size());
  return std::sqrt(mean_of(scores, [&](const PairScores& s) { return std::pow(s.fpr95.value - mean, 2); }) * n /
                   (n - 1));
}

double DemoRow::mean_ap() const {
  return mean_of(scores, [](const PairScores& s) { return s.ap; });
}

std::string DemoResult::table() const {
  std::string text = fmt::format("{:<34} {:>16} {:>8} {:>9} {:>8} {:>6}", "on held-out scenes", "FPR95 %", "AP %",
                                 "pairs", "seconds", "seeds");
  for (const DemoRow& row : rows) {
    text += fmt::format("\n{:<34} {:>16} {:>8.2f}", row.name, fpr95_text(row), 100 * row.mean_ap());
    text += row.pairs > 0 ? fmt::format(" {:>9.0f} {:>8.0f} {:>6}", row.pairs, row.seconds, row.scores.size())
                          : fmt::format(" {:>9} {:>8} {:>6}", "-", "-", "-");
  }
  return text;
}

std::string DemoResult::verdict() const {
  const DemoRow* adasample = row_of(rows, kAdaSampleRow);
  std::string text;
  for (const char* name : {kUniformPairsRow, kUniformSecondsRow}) {
    const DemoRow* uniform = row_of(rows, name);
    if (adasample == nullptr || uniform == nullptr) continue;
    const size_t seeds = std::min(adasample->scores.size(), uniform->scores.size());
    int64_t ahead = 0;
    for (size_t s = 0; s < seeds; ++s) {
      ahead += adasample->scores[s].fpr95.value < uniform->scores[s].fpr95.value ? 1 : 0;
    }
    text += fmt::format("\nAdaSample against {}: the lower FPR95 in {} of {} seed{}", name, ahead, seeds,
                        seeds == 1 ? "" : "s");
  }
  return text;
}

ReportTable DemoResult::report_table() const {
  ReportTable page{.title = "On held-out scenes",
                   .note = "FPR95: false positive rate at 95 % recall, lower is better. AP: average precision.",
                   .columns = {"", "FPR95 %", "AP %", "pairs", "seconds", "seeds"}};
  for (const DemoRow& row : rows) {
    const bool trained = row.pairs > 0;
    page.rows.push_back({row.name, fpr95_text(row), fmt::format("{:.2f}", 100 * row.mean_ap()),
                         trained ? fmt::format("{:.0f}", row.pairs) : "-",
                         trained ? fmt::format("{:.0f}", row.seconds) : "-",
                         trained ? fmt::format("{}", row.scores.size()) : "-"});
  }
  return page;
}

nlohmann::ordered_json DemoResult::json() const {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const DemoRow& row : rows) {
    nlohmann::ordered_json values = nlohmann::ordered_json::array();
    for (const PairScores& s : row.scores) values.push_back(s.fpr95.value);
    list.push_back({{"name", row.name},
                    {"fpr95", row.mean_fpr95()},
                    {"fpr95_deviation", row.fpr95_deviation()},
                    {"fpr95_per_seed", values},
                    {"ap", row.mean_ap()},
                    {"pairs", row.pairs},
                    {"seconds", row.seconds}});
  }
  return {{"rows", list}};
}

DemoResult run_demo(const DemoOptions& options, const OptionText& text) {
  options.validate();
  refuse_existing(options.out);
  std::error_code error;
  std::filesystem::create_directories(options.out, error);
  ADA_CHECK(!error, "[demo] {}: cannot be created: {}", options.out.string(), error.message());
  return Demo(options, text).run();
}

}  // namespace adasample
