// SPDX-License-Identifier: Apache-2.0
#include "adasample/experiment/grid/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "adasample/base/error.h"
#include "adasample/eval/statistics/result_values.h"
#include "adasample/report/html.h"
#include "adasample/report/plot/interval_plot.h"
#include "adasample/report/plot/svg_plot.h"

namespace adasample {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

// Of each sequence; empty where one of them does not have it.
std::map<std::string, double> figure_by_sequence(const json& result, const std::string& figure) {
  std::map<std::string, double> values;
  const auto sequences = result.find("sequences");
  if (sequences == result.end() || !sequences->is_object()) return {};
  for (const auto& [name, entry] : sequences->items()) {
    const std::optional<double> value = find_value(entry, figure);
    if (!value) return {};
    values[name] = *value;
  }
  return values;
}

// What one judge says of one arm, seed by seed.
struct JudgedArm {
  size_t arm = 0;
  std::map<uint64_t, json> scores = {};
  std::vector<TrialOutcome> complete = {};
  std::vector<std::string> broken = {};
};

// One table's worth of reading; what is wrong with a file is noted once.
class Collector {
 public:
  Collector(const Grid& grid, const ExperimentFolder& folder, const std::set<std::string>& refused)
      : grid_(grid), folder_(folder), refused_(refused) {}

  JudgedArm judged_arm(const GridJudge& judge, size_t arm, Budget budget) {
    JudgedArm judged{.arm = arm};
    for (const uint64_t seed : grid_.seeds) {
      const Trial trial{arm, budget, seed};
      attempt([&] { add(trial, judge, judged); });
    }
    return judged;
  }

  // Tells what is wrong with one of them and goes on with the others.
  template <typename Work>
  void attempt(const Work& work) {
    try {
      work();
    } catch (const Error& error) {
      if (error.kind() == Error::Kind::kBug || error.kind() == Error::Kind::kInterrupted) throw;
      if (noted_.insert(error.what()).second) notes.push_back(error.what());
    }
  }

  std::vector<std::string> notes;

 private:
  void add(const Trial& trial, const GridJudge& judge, JudgedArm& judged) const {
    const std::string name = folder_.name(trial);
    if (refused_.contains(name)) return;
    const std::optional<TrialOutcome> outcome = folder_.outcome(trial);
    if (!outcome) return;
    if (!outcome->is_complete()) {
      judged.broken.push_back(fmt::format("seed {} {}", trial.seed, outcome->end));
      return;
    }
    judged.complete.push_back(*outcome);
    if (refused_.contains(name + "/" + judge.name)) return;
    if (std::optional<json> score = folder_.score(trial, judge)) judged.scores[trial.seed] = std::move(*score);
  }

  const Grid& grid_;
  const ExperimentFolder& folder_;
  const std::set<std::string>& refused_;
  std::set<std::string> noted_;
};

FigureResult summary(const std::vector<double>& values) {
  FigureResult result{.values = values};
  const auto count = static_cast<double>(values.size());
  result.mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double square = 0;
  for (const double value : values) square += (value - result.mean) * (value - result.mean);
  if (values.size() > 1) result.deviation = std::sqrt(square / (count - 1));
  return result;
}

// The runs of both that have the same seeds.
std::optional<Comparison> compare_figure(const JudgedArm& a, const JudgedArm& b, const std::string& figure) {
  RunValues of_a, of_b;
  for (const auto& [seed, score] : a.scores) {
    const auto other = b.scores.find(seed);
    if (other == b.scores.end()) continue;
    const std::optional<double> value_a = find_value(score, figure), value_b = find_value(other->second, figure);
    if (!value_a || !value_b) continue;
    of_a.mean.push_back(*value_a);
    of_b.mean.push_back(*value_b);
    of_a.sequences.push_back(figure_by_sequence(score, figure));
    of_b.sequences.push_back(figure_by_sequence(other->second, figure));
  }
  if (of_a.mean.empty()) return std::nullopt;
  const auto empty = [](const std::map<std::string, double>& sequences) { return sequences.empty(); };
  const bool without = std::any_of(of_a.sequences.begin(), of_a.sequences.end(), empty) ||
                       std::any_of(of_b.sequences.begin(), of_b.sequences.end(), empty);
  if (without) {
    of_a.sequences.clear();
    of_b.sequences.clear();
    if (of_a.mean.size() < 2) return std::nullopt;  // one value a side says nothing
  }
  return compare_runs(of_a, of_b, /*paired=*/true, {.larger = !lower_is_better(figure), .bootstrap = {}});
}

ArmResult arm_result(const Grid& grid, const GridJudge& judge, const JudgedArm& judged, const JudgedArm* baseline,
                     Collector& collector) {
  ArmResult row{.name = grid.arms[judged.arm].name};
  row.seeds = std::ssize(judged.complete);
  row.scored = std::ssize(judged.scores);
  row.broken = judged.broken;
  for (const TrialOutcome& outcome : judged.complete) {
    row.iterations += static_cast<double>(outcome.iterations) / static_cast<double>(row.seeds);
    row.seconds += outcome.seconds / static_cast<double>(row.seeds);
  }
  for (const std::string& figure : judge.figures) {
    std::vector<double> values;
    for (const auto& [seed, score] : judged.scores) {
      if (const std::optional<double> value = find_value(score, figure)) values.push_back(*value);
    }
    if (values.empty()) continue;
    row.figures[figure] = summary(values);
    if (baseline != nullptr && baseline->arm != judged.arm) {
      collector.attempt([&] { row.figures[figure].against = compare_figure(judged, *baseline, figure); });
    }
  }
  return row;
}

std::vector<ArmResult> reference_rows(const Grid& grid, const ExperimentFolder& folder, const GridJudge& judge) {
  std::vector<ArmResult> rows;
  for (const std::string& model : grid.references) {
    const std::optional<json> score = folder.reference_score(model, judge);
    if (!score) continue;
    ArmResult row{.name = model};
    for (const std::string& figure : judge.figures) {
      if (const std::optional<double> value = find_value(*score, figure)) row.figures[figure] = summary({*value});
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

// "+0.47"; a difference of shares in per cent.
std::string signed_percent(double share) { return fmt::format("{:+.2f}", 100 * share); }

std::string p_text(double p) { return p < 0.001 ? fmt::format("{:.1e}", p) : fmt::format("{:.3f}", p); }

std::string value_text(const FigureResult& result) {
  return result.values.size() > 1 ? fmt::format("{:.2f} ± {:.2f}", 100 * result.mean, 100 * result.deviation)
                                  : fmt::format("{:.2f}", 100 * result.mean);
}

std::string difference_text(const Comparison& comparison) {
  std::string text = signed_percent(comparison.difference);
  if (comparison.interval) {
    const auto bound = [](double share) { return std::isfinite(share) ? signed_percent(share) : "no bound"; };
    // A figure of the whole need not be the mean over sequences: HPatches pools its verification.
    const double of_sequences = comparison.interval->difference;
    if (std::abs(of_sequences - comparison.difference) > 5e-5) {
      text += fmt::format(", by sequence {}", signed_percent(of_sequences));
    }
    text += fmt::format(" [{}, {}]", bound(comparison.interval->low), bound(comparison.interval->high));
  }
  return text + ", p " + p_text(comparison.p_two_sided);
}

std::string budget_text(Budget budget) {
  return budget == Budget::kPairs ? "as many pairs each" : "as many seconds each";
}

std::string title_of(const JudgedTable& table, bool name_data) {
  return fmt::format("{}{}, {}", table.judge, name_data ? ", trained on " + table.data : "", budget_text(table.budget));
}

// The words of a table, for every form it is shown in.
struct TableText {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

TableText means_of(const JudgedTable& table) {
  TableText text{{"per cent"}, {}};
  for (const std::string& figure : table.figures) text.columns.push_back(figure);
  text.columns.insert(text.columns.end(), {"iterations", "seconds", "seeds"});
  for (const ArmResult& row : table.rows) {
    std::vector<std::string> cells = {row.name};
    for (const std::string& figure : table.figures) {
      const auto found = row.figures.find(figure);
      cells.push_back(found == row.figures.end() ? "-" : value_text(found->second));
    }
    const bool trained = row.seeds > 0;
    cells.push_back(trained ? fmt::format("{:.0f}", row.iterations) : "-");
    cells.push_back(trained ? fmt::format("{:.1f}", row.seconds) : "-");
    std::string seeds = trained ? std::to_string(row.seeds) : "-";
    if (row.scored < row.seeds) seeds = fmt::format("{} of {} scored", row.scored, row.seeds);
    if (!row.broken.empty()) seeds = fmt::format("{}; {}", row.seeds, fmt::join(row.broken, ", "));
    cells.push_back(seeds);
    text.rows.push_back(std::move(cells));
  }
  return text;
}

// Empty rows where nothing was compared.
TableText differences_of(const JudgedTable& table, const std::string& baseline) {
  TableText text{{"minus " + baseline}, {}};
  for (const std::string& figure : table.figures) text.columns.push_back(figure);
  for (const ArmResult& row : table.rows) {
    std::vector<std::string> cells = {row.name};
    bool any = false;
    for (const std::string& figure : table.figures) {
      const auto found = row.figures.find(figure);
      const bool compared = found != row.figures.end() && found->second.against;
      any |= compared;
      cells.push_back(compared ? difference_text(*found->second.against) : "-");
    }
    if (any) text.rows.push_back(std::move(cells));
  }
  return text;
}

// What stands in a terminal's columns: bytes of UTF-8 that begin a character.
size_t width_of(const std::string& text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string aligned(const TableText& table) {
  std::vector<size_t> widths;
  for (const std::string& column : table.columns) widths.push_back(width_of(column));
  for (const auto& row : table.rows) {
    for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width_of(row[c]));
  }
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text;
    for (size_t c = 0; c < cells.size(); ++c) {
      text += cells[c];
      if (c + 1 < cells.size()) text += std::string(widths[c] - width_of(cells[c]) + 2, ' ');
    }
    return text + "\n";
  };
  std::string text = line(table.columns);
  for (const auto& row : table.rows) text += line(row);
  return text;
}

std::string as_markdown(const TableText& table) {
  const auto line = [](const std::vector<std::string>& cells) {
    return fmt::format("| {} |\n", fmt::join(cells, " | "));
  };
  std::string text = line(table.columns) + "|";
  for (size_t c = 0; c < table.columns.size(); ++c) text += "---|";
  text += "\n";
  for (const auto& row : table.rows) text += line(row);
  return text;
}

std::vector<std::string> difference_charts(const JudgedTable& table, const std::string& baseline) {
  std::vector<std::string> charts;
  for (const std::string& figure : table.figures) {
    IntervalPlot plot{figure,
                      figure,
                      fmt::format("minus {}; dots: seeds, line: 95 % interval; {} is better", baseline,
                                  lower_is_better(figure) ? "left" : "right"),
                      "difference, per cent",
                      {}};
    for (const ArmResult& row : table.rows) {
      const auto found = row.figures.find(figure);
      if (found == row.figures.end() || !found->second.against) continue;
      const Comparison& against = *found->second.against;
      IntervalRow drawn{row.name, 100 * against.difference};
      if (against.interval) drawn.interval = {100 * against.interval->low, 100 * against.interval->high};
      if (against.unit == "runs") {
        for (size_t i = 0; i < against.a.size(); ++i) drawn.parts.push_back(100 * (against.a[i] - against.b[i]));
      }
      plot.rows.push_back(std::move(drawn));
    }
    if (!plot.rows.empty()) charts.push_back(svg_interval_plot(plot));
  }
  return charts;
}

// Quality against seconds of training: one dot per arm, its band one deviation over the seeds.
std::vector<std::string> time_charts(const JudgedTable& table) {
  std::vector<std::string> charts;
  for (const std::string& figure : table.figures) {
    Plot plot{.id = "seconds-" + figure,
              .title = figure + " against seconds",
              .description = fmt::format("mean of the seeds and one deviation; {} is better",
                                         lower_is_better(figure) ? "lower" : "higher"),
              .x_label = "seconds of training"};
    double least = INFINITY, most = 0, low = INFINITY, high = -INFINITY;
    for (const ArmResult& row : table.rows) {
      const auto found = row.figures.find(figure);
      if (found == row.figures.end() || row.seeds == 0 || !(row.seconds > 0)) continue;
      const double y = 100 * found->second.mean, spread = 100 * found->second.deviation;
      plot.caption += fmt::format(R"( <span class="run s{}"><i class="swatch"></i>{}</span>)", plot.series.size() % 8,
                                  escaped(row.name));
      plot.series.push_back({.name = row.name,
                             .style = fmt::format("s{} point", plot.series.size() % 8),
                             .points = {{row.seconds, y, y - spread, y + spread}},
                             .mark = PlotSeries::Mark::kDots,
                             .band = true});
      least = std::min(least, row.seconds);
      most = std::max(most, row.seconds);
      low = std::min(low, y - spread);
      high = std::max(high, y + spread);
    }
    if (plot.series.size() < 2 || !std::isfinite(low) || !std::isfinite(high)) continue;
    plot.x = linear_scale(std::min(least, 0.9 * most), 1.02 * most);
    plot.y = roomy_scale(low, high);
    charts.push_back(svg_plot(plot));
  }
  return charts;
}

// Several training sets: titles name theirs.
bool names_data(const std::vector<JudgedTable>& tables) {
  return std::any_of(tables.begin(), tables.end(), [&](const JudgedTable& t) { return t.data != tables[0].data; });
}

}  // namespace

bool lower_is_better(const std::string& figure) { return figure.starts_with("fpr"); }

ExperimentResults collect_results(const Grid& grid, const ExperimentFolder& folder,
                                  const std::set<std::string>& refused) {
  Collector collector(grid, folder, refused);
  ExperimentResults results;
  results.title = grid.title;
  results.baseline = grid.baseline;
  results.seeds = std::ssize(grid.seeds);
  results.notes = grid.problems;
  std::set<std::string> shortfalls;
  for (const GridJudge& judge : grid.judges) {
    for (const GridData& data : grid.data) {
      for (const Budget budget : {Budget::kPairs, Budget::kSeconds}) {
        std::vector<JudgedArm> arms;
        const JudgedArm* baseline = nullptr;
        for (size_t arm = 0; arm < grid.arms.size(); ++arm) {
          if (grid.arms[arm].data == data.name) arms.push_back(collector.judged_arm(judge, arm, budget));
        }
        for (const JudgedArm& one : arms) {
          if (grid.arms[one.arm].name == grid.baseline) baseline = &one;
        }
        JudgedTable table{judge.name, data.name, budget, judge.figures, {}};
        collector.attempt([&] { table.rows = reference_rows(grid, folder, judge); });
        const size_t references = table.rows.size();
        for (const JudgedArm& one : arms) {
          if (!one.complete.empty() || !one.broken.empty()) {
            table.rows.push_back(arm_result(grid, judge, one, baseline, collector));
          }
        }
        if (table.rows.size() == references) continue;  // nothing was trained
        for (const ArmResult& row : table.rows) {
          for (const auto& [figure, result] : row.figures) {
            if (!result.against) continue;
            if (!result.against->shortfall.empty()) shortfalls.insert(result.against->shortfall);
            if (result.against->unit == "sequences") {
              shortfalls.insert("with one seed a side p is of the sequences, and says nothing of other seeds");
            }
          }
        }
        results.tables.push_back(std::move(table));
      }
    }
  }
  results.notes.insert(results.notes.end(), collector.notes.begin(), collector.notes.end());
  results.shortfalls.assign(shortfalls.begin(), shortfalls.end());
  return results;
}

std::string ExperimentResults::text() const {
  std::string all = title + "\n";
  for (const JudgedTable& table : tables) {
    all += "\n" + title_of(table, names_data(tables)) + "\n" + aligned(means_of(table));
    const TableText differences = differences_of(table, baseline);
    if (!differences.rows.empty()) all += "\n" + aligned(differences);
  }
  if (!notes.empty() || !shortfalls.empty()) all += "\n";
  for (const std::string& note : notes) all += note + "\n";
  for (const std::string& shortfall : shortfalls) all += shortfall + "\n";
  all.pop_back();
  return all;
}

std::string ExperimentResults::markdown() const {
  std::string all = "# " + title + "\n";
  for (const JudgedTable& table : tables) {
    all += "\n## " + title_of(table, names_data(tables)) + "\n\n" + as_markdown(means_of(table));
    const TableText differences = differences_of(table, baseline);
    if (!differences.rows.empty()) all += "\n" + as_markdown(differences);
  }
  if (!notes.empty() || !shortfalls.empty()) all += "\n";
  for (const std::string& note : notes) all += "- " + note + "\n";
  for (const std::string& shortfall : shortfalls) all += "- " + shortfall + "\n";
  return all;
}

ordered_json ExperimentResults::json() const {
  ordered_json object = {{"title", title}, {"baseline", baseline}, {"seeds", seeds}, {"tables", ordered_json::array()}};
  for (const JudgedTable& table : tables) {
    ordered_json rows = ordered_json::array();
    for (const ArmResult& row : table.rows) {
      ordered_json entry = {{"name", row.name}, {"seeds", row.seeds}, {"broken", row.broken}};
      if (row.seeds > 0) {
        entry["iterations"] = row.iterations;
        entry["seconds"] = row.seconds;
      }
      for (const auto& [figure, result] : row.figures) {
        ordered_json& shown = entry["figures"][figure];
        shown = {{"mean", result.mean}, {"deviation", result.deviation}, {"values", result.values}};
        if (!result.against) continue;
        const Comparison& against = *result.against;
        shown["difference"] = against.difference;
        shown["p_two_sided"] = against.p_two_sided;
        shown["test"] = against.test;
        if (against.interval) {
          shown["interval"] = {against.interval->low, against.interval->high};
          shown["interval_of"] = against.interval_of;
        }
      }
      rows.push_back(std::move(entry));
    }
    object["tables"].push_back({{"judge", table.judge},
                                {"data", table.data},
                                {"budget", to_string(table.budget)},
                                {"figures", table.figures},
                                {"rows", rows}});
  }
  object["notes"] = notes;
  object["shortfalls"] = shortfalls;
  return object;
}

std::string ExperimentResults::html() const {
  Report report{title, {}, {}, {}};
  for (const JudgedTable& table : tables) {
    const std::string name = title_of(table, names_data(tables));
    const TableText means = means_of(table), differences = differences_of(table, baseline);
    report.tables.push_back(
        {name, "mean and deviation over seeds, per cent", means.columns, means.rows, time_charts(table)});
    if (differences.rows.empty()) continue;
    report.tables.push_back({"", "differences, their 95 % intervals over sequences (of these runs), and p, two-sided",
                             differences.columns, differences.rows, difference_charts(table, baseline)});
  }
  ReportTable told{"Notes", "", {"what to know"}, {}};
  for (const std::string& note : notes) told.rows.push_back({note});
  for (const std::string& shortfall : shortfalls) told.rows.push_back({shortfall});
  if (!told.rows.empty()) report.tables.push_back(std::move(told));
  return html_report(report);
}

}  // namespace adasample
