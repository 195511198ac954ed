// SPDX-License-Identifier: Apache-2.0
// Figures 2 and 3.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/json.h"
#include "adasample/base/log.h"
#include "adasample/data/patch_store.h"
#include "adasample/eval/statistics/correlation.h"
#include "adasample/eval/statistics/result_values.h"
#include "adasample/experiment/reproduce/reproduction.h"
#include "adasample/model/checkpoint.h"
#include "adasample/report/plot/marker_plot.h"
#include "adasample/report/plot/svg_plot.h"
#include "adasample/train/gradients/candidate_gradients.h"

namespace adasample {
namespace {

const std::vector<std::string> kLevelNames = {"easy", "hard", "tough"};

// Mean of a task over the sequences of one kind ("v", "i") at a level, in per cent; NaN where there are none.
double sequence_mean(const nlohmann::json& score, const std::string& task, const std::string& level,
                     const std::string& kind) {
  double sum = 0;
  int64_t count = 0;
  const auto sequences = score.find("sequences");
  if (sequences == score.end() || !sequences->is_object()) return NAN;
  for (const auto& [name, entry] : sequences->items()) {
    if (!name.starts_with(kind + "_")) continue;
    // Verification and retrieval have a further step below the level: kinds of negatives, sizes of the pool.
    const auto per = entry.value(nlohmann::json::json_pointer("/" + task + "/per/" + level), nlohmann::json());
    double own = NAN;
    if (per.contains("trapezoid") && per["trapezoid"].is_number()) {
      own = per["trapezoid"];
    } else if (per.is_object()) {
      double inner = 0;
      int64_t parts = 0;
      for (const auto& [part, value] : per.items()) {
        if (!value.is_object() || !value.contains("trapezoid") || !value["trapezoid"].is_number()) continue;
        inner += value["trapezoid"].get<double>();
        ++parts;
      }
      if (parts > 0) own = inner / static_cast<double>(parts);
    }
    if (!std::isfinite(own)) continue;
    sum += own;
    ++count;
  }
  return count == 0 ? NAN : 100 * sum / static_cast<double>(count);
}

struct Figure2Row {
  std::string name;
  nlohmann::json score;
};

MarkerPlot figure2_plot(const std::string& title, const std::vector<Figure2Row>& rows) {
  MarkerPlot plot{.title = title, .x_label = "mAP, %", .colours = kLevelNames, .shapes = {"viewpoint", "illumination"}};
  for (const std::string& task : kTasks) {
    MarkerPanel panel{.title = task};
    for (const Figure2Row& row : rows) {
      MarkerRow drawn{.name = row.name, .mean = 100 * find_value(row.score, task_figure(task)).value_or(NAN)};
      for (size_t level = 0; level < kLevelNames.size(); ++level) {
        for (size_t shape = 0; shape < 2; ++shape) {
          drawn.markers.push_back(
              {sequence_mean(row.score, task, kLevelNames[level], shape == 0 ? "v" : "i"), level, shape});
        }
      }
      panel.rows.push_back(std::move(drawn));
    }
    plot.panels.push_back(std::move(panel));
  }
  return plot;
}

// Trains and scores the arms of a grid, and gives what the hpatches judge said of each, under these names.
void add_scores(Reproduction& all, const std::string& name, const Grid& grid, const std::vector<std::string>& names,
                std::vector<Figure2Row>& rows, ExperimentResults& results) {
  results = all.run(name, grid);
  const ExperimentFolder folder(grid, all.folder(name));
  for (size_t arm = 0; arm < grid.arms.size(); ++arm) {
    all.attempt(grid.arms[arm].name, [&] {
      const auto score = folder.score({arm, Budget::kPairs, grid.seeds.front()}, grid.judges.front());
      if (score) rows.push_back({names[arm], *score});
    });
  }
}

// What a checkpoint's gradients say.
struct Correlation {
  int64_t iteration = 0;
  double per_class = NAN, pooled = NAN;                // the negative a number
  double per_class_pushed = NAN, pooled_pushed = NAN;  // the negative's descriptor a constant
  double active = NAN;                                 // share of the pairs
};

// Probabilities within a class; empty where all are 0.
std::vector<double> probabilities(const std::vector<double>& values) {
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  std::vector<double> p;
  for (const double v : values) {
    if (sum > 0) p.push_back(v / sum);
  }
  return p;
}

void correlate(const std::vector<ClassGradients>& classes, std::vector<double> ClassGradients::*norms,
               double& per_class, double& pooled) {
  std::vector<double> by_norm, by_distance;
  double sum = 0;
  int64_t count = 0;
  for (const ClassGradients& one : classes) {
    const std::vector<double> p = probabilities(one.*norms), q = probabilities(one.distances);
    if (p.empty() || q.empty()) continue;
    by_norm.insert(by_norm.end(), p.begin(), p.end());
    by_distance.insert(by_distance.end(), q.begin(), q.end());
    const double r = pearson(p, q);
    if (!std::isfinite(r)) continue;
    sum += r;
    ++count;
  }
  per_class = count == 0 ? NAN : sum / static_cast<double>(count);
  pooled = by_norm.size() < 2 ? NAN : pearson(by_norm, by_distance);
}

nlohmann::json number_or_null(double value) { return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(); }
double or_nan(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : NAN;
}

// Measured once; kept beside the runs.
std::vector<Correlation> correlations(Reproduction& all, const std::filesystem::path& run, const std::string& label,
                                      const std::filesystem::path& store_folder,
                                      const CandidateGradientOptions& options) {
  const std::filesystem::path kept = all.folder("figure3") / ("gradients-" + slug(label) + ".json");
  std::vector<Correlation> found;
  if (std::filesystem::exists(kept)) {
    for (const nlohmann::json& one : read_json(kept, "reproduce")) {
      found.push_back({one.value("iteration", int64_t{0}), or_nan(one, "per_class"), or_nan(one, "pooled"),
                       or_nan(one, "per_class_pushed"), or_nan(one, "pooled_pushed"), or_nan(one, "active")});
    }
    return found;
  }
  std::vector<std::filesystem::path> steps;
  for (const auto& entry : std::filesystem::directory_iterator(run / "checkpoints")) {
    if (entry.path().filename().string().starts_with("step_") && entry.path().extension().empty())
      steps.push_back(entry.path());
  }
  std::sort(steps.begin(), steps.end());
  const PatchStore store = PatchStore::open(store_folder);
  nlohmann::json record = nlohmann::json::array();
  for (const std::filesystem::path& step : steps) {
    const Checkpoint checkpoint = read_checkpoint(step);
    const auto classes = candidate_gradients(checkpoint.weights(), store, options);
    Correlation one{.iteration = checkpoint.state.iteration};
    correlate(classes, &ClassGradients::norms, one.per_class, one.pooled);
    correlate(classes, &ClassGradients::norms_pushed, one.per_class_pushed, one.pooled_pushed);
    int64_t active = 0, pairs = 0;
    for (const ClassGradients& c : classes) {
      active += c.active;
      pairs += std::ssize(c.distances);
    }
    one.active = static_cast<double>(active) / static_cast<double>(std::max<int64_t>(1, pairs));
    log_info("{}, iteration {}: correlation {:.3f} pooled, {:.3f} per class", label, one.iteration, one.pooled,
             one.per_class);
    record.push_back({{"iteration", one.iteration},
                      {"per_class", number_or_null(one.per_class)},
                      {"pooled", number_or_null(one.pooled)},
                      {"per_class_pushed", number_or_null(one.per_class_pushed)},
                      {"pooled_pushed", number_or_null(one.pooled_pushed)},
                      {"active", number_or_null(one.active)}});
    found.push_back(one);
  }
  write_file_atomically(kept, record.dump(1) + "\n");
  return found;
}

Claim correlation_claim(const std::string& text, const std::vector<Correlation>& found, double Correlation::*which) {
  Claim claim{.text = text, .verdict = Verdict::kCannotTell, .why = "nothing was measured"};
  double least = INFINITY, greatest = -INFINITY;
  for (const Correlation& one : found) {
    if (one.iteration == 0 || !std::isfinite(one.*which)) continue;  // "through training"
    least = std::fmin(least, one.*which);
    greatest = std::fmax(greatest, one.*which);
  }
  if (!(least <= greatest)) return claim;
  claim.verdict = least > kPaperCorrelation ? Verdict::kHolds : Verdict::kDoesNotHold;
  claim.why = fmt::format("{:.3f} to {:.3f} over training", least, greatest);
  return claim;
}

}  // namespace

ReproducedPage reproduce_figure2(Reproduction& all) {
  const bool real = !all.options().phototour.empty();
  ReproducedPage page;
  page.title = fmt::format("Figure 2: {}, trained on {} and on its own sequences (-HP), {}", all.hpatches_words(),
                           all.phototour_words(), all.pairs_words(real));
  page.lead =
      "Mean average precision in per cent (the benchmark's python definition), one seed. Bars are the means; "
      "markers are the levels, for changes of viewpoint and of illumination. The paper gives this figure as a "
      "drawing, without numbers.";
  std::vector<Figure2Row> rows;
  ExperimentResults on_site, on_sequences;
  const auto judge = all.hpatches_judge();
  const std::vector<int> sites = all.sites();
  if (judge && !sites.empty()) {
    const std::vector<std::string> names = {"HardNet+*", "AdaSample+*"};
    Grid grid = all.site_grid(sites.front(), names, /*seeds=*/1);
    grid.judges = {*judge};
    grid.baseline = arm_name("HardNet+*");
    add_scores(all, kSites[static_cast<size_t>(sites.front())], grid, names, rows, on_site);
  }
  const auto store = all.hpatches_store();
  if (judge && store) {
    Grid grid = all.empty_grid("trained on sequences", !all.options().hpatches.empty());
    grid.data = {{.name = "sequences", .stores = {store->string()}}};
    grid.judges = {*judge};
    for (const char* name : {"HardNet+*", "AdaSample+*"}) {
      const std::string shown = std::string(name).substr(0, std::string(name).find('+')) + "-HP";
      grid.arms.push_back({shown, recipe(name).options, "sequences", {Budget::kPairs}});
    }
    grid.baseline = grid.arms.front().name;
    add_scores(all, "figure2", grid, {grid.arms[0].name, grid.arms[1].name}, rows, on_sequences);
  }
  const MarkerPlot plot = figure2_plot(page.title, rows);
  page.pictures.emplace_back("figure2.svg", svg_marker_plot(plot));

  ReportTable table{.title = "mAP", .columns = {"descriptor", "verification", "matching", "retrieval"}};
  ReportTable parts{.title = "Matching by level", .columns = {"descriptor"}};
  for (const char* kind : {"viewpoint", "illumination"}) {
    for (const std::string& level : kLevelNames) parts.columns.push_back(fmt::format("{}, {}", kind, level));
  }
  const auto shown = [](double value) {
    return std::isfinite(value) ? fmt::format("{:.2f}", value) : std::string("-");
  };
  for (const Figure2Row& row : rows) {
    std::vector<std::string> cells = {row.name}, by_level = {row.name};
    for (const std::string& task : kTasks)
      cells.push_back(shown(100 * find_value(row.score, task_figure(task)).value_or(NAN)));
    for (const char* kind : {"v", "i"}) {
      for (const std::string& level : kLevelNames)
        by_level.push_back(shown(sequence_mean(row.score, "matching", level, kind)));
    }
    table.rows.push_back(std::move(cells));
    parts.rows.push_back(std::move(by_level));
  }
  page.tables = {std::move(table), std::move(parts)};

  const auto claims = [&](const ExperimentResults& results, const std::string& better, const std::string& worse) {
    for (const std::string& task : kTasks) {
      const std::string text = fmt::format("{}: {} is better than {}", task, better, worse);
      const ArmResult* arm = find_arm(results, "hpatches", arm_name(better));
      const auto figure = arm == nullptr ? decltype(arm->figures.end()){} : arm->figures.find(task_figure(task));
      if (arm == nullptr || figure == arm->figures.end() || !figure->second.against) {
        page.claims.push_back({text, Verdict::kCannotTell, "not compared"});
        continue;
      }
      const Comparison& against = *figure->second.against;
      Claim claim = larger_by_p(text, 100 * against.difference, against.p_two_sided);
      claim.why += " over the sequences; one seed";
      page.claims.push_back(std::move(claim));
    }
  };
  claims(on_site, "AdaSample+*", "HardNet+*");
  claims(on_sequences, "AdaSample-HP", "HardNet-HP");
  return page;
}

ReproducedPage reproduce_figure3(Reproduction& all) {
  const ReproduceOptions& options = all.options();
  const bool real = !options.phototour.empty();
  ReproducedPage page;
  page.title = fmt::format("Figure 3 on {}, {}", all.phototour_words(), all.pairs_words(real));
  page.lead = fmt::format(
      "How well the distance stands for the gradient: Pearson's correlation between the probabilities that the exact "
      "gradient norm of each candidate pair induces within its class (over all weights, batch norm in evaluation mode) "
      "and those that the distance induces. {} classes, the mean over classes and all pairs pooled. With the negative "
      "frozen its distance is a number; \"pushed\" freezes only the negative's descriptor, so that the anchor is also "
      "pushed away from it. The paper says that the correlation is above {} through training.",
      options.gradient_classes, kPaperCorrelation);
  const std::vector<int> sites = all.sites();
  const auto store = sites.empty() ? std::nullopt : all.site_store(sites.front(), /*generated=*/true);
  if (!store) {
    page.claims.push_back({"the correlation is above 0.8 through training", Verdict::kCannotTell, "there are no data"});
    return page;
  }
  Grid grid = all.empty_grid("gradients", real);
  grid.data = {{.name = "generated", .stores = {store->string()}}};
  grid.arms = {{"paper", recipe("AdaSample+*").options, "generated", {Budget::kPairs}},
               {"shipped", {{"preset", "robust"}}, "generated", {Budget::kPairs}}};
  grid.keep_checkpoints = true;
  const int64_t every = std::max<int64_t>(1, all.iterations(real) / options.gradient_steps);
  grid.train["keep-every"] = std::to_string(every);
  all.run("figure3", grid);

  const ExperimentFolder folder(grid, all.folder("figure3"));
  Plot plot{.id = "correlation", .title = "Correlation over training", .description = "pooled over all pairs"};
  ReportTable table{.title = "Correlation",
                    .columns = {"recipe", "iteration", "pooled", "per class", "pooled, pushed", "per class, pushed",
                                "active pairs, %"}};
  std::vector<double> every_value = {kPaperCorrelation};
  for (size_t arm = 0; arm < grid.arms.size(); ++arm) {
    const std::string name = grid.arms[arm].name;
    std::vector<Correlation> found;
    CandidateGradientOptions measured{.classes = options.gradient_classes, .k = options.k, .device = options.device};
    all.attempt("gradients of " + name, [&] {
      found = correlations(all, folder.run({arm, Budget::kPairs, grid.seeds.front()}), name, *store, measured);
    });
    PlotSeries series{.name = name, .style = fmt::format("s{}", arm), .mark = PlotSeries::Mark::kDots};
    for (const Correlation& one : found) {
      table.rows.push_back({name, std::to_string(one.iteration), fmt::format("{:.3f}", one.pooled),
                            fmt::format("{:.3f}", one.per_class), fmt::format("{:.3f}", one.pooled_pushed),
                            fmt::format("{:.3f}", one.per_class_pushed), fmt::format("{:.1f}", 100 * one.active)});
      series.points.push_back({static_cast<double>(one.iteration), one.pooled, one.pooled, one.pooled});
      if (std::isfinite(one.pooled)) every_value.push_back(one.pooled);
    }
    plot.caption += fmt::format(R"(<br><span class="part {}"><i class="swatch"></i>{}</span>)", series.style, name);
    plot.series.push_back(std::move(series));
    const std::string whose = name == "paper" ? "the paper's recipe" : "the shipped recipe";
    page.claims.push_back(correlation_claim(fmt::format("{}: pooled correlation above 0.8 through training", whose),
                                            found, &Correlation::pooled));
    page.claims.push_back(
        correlation_claim(fmt::format("{}: mean correlation per class above 0.8 through training", whose), found,
                          &Correlation::per_class));
  }
  plot.x = linear_scale(0, static_cast<double>(all.iterations(real)));
  plot.y = roomy_scale(*std::min_element(every_value.begin(), every_value.end()), 1);
  plot.guide = kPaperCorrelation;
  plot.span = 1;
  table.charts = {svg_plot(plot)};
  page.tables = {std::move(table)};
  return page;
}

}  // namespace adasample
