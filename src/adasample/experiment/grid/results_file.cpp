// SPDX-License-Identifier: Apache-2.0
// result.json of an experiment, read back.
#include <fmt/format.h>

#include <cmath>

#include "adasample/base/error.h"
#include "adasample/experiment/grid/results.h"
#include "adasample/report/json_at.h"

namespace adasample {
namespace {

constexpr size_t kMostTables = 10000, kMostRows = 10000, kMostNames = 1000, kMostValues = 10000, kMostNotes = 10000;
constexpr double kMostSeconds = 1e12;

// A figure is a share, or another number that is not out of this world: tables and plots must be able to show it.
double shown_number(const JsonAt& node) {
  const double value = node.number();
  if (!(std::abs(value) <= 1e12)) node.fail("a number of at most 1e12", node.value().dump());
  return value;
}

std::vector<std::string> text_list(const JsonAt& node, size_t most) {
  std::vector<std::string> all;
  for (const JsonAt& one : node.list(most)) all.push_back(one.text());
  return all;
}

FigureResult figure_of(const JsonAt& node) {
  FigureResult figure;
  figure.mean = shown_number(node.at("mean"));
  figure.deviation = shown_number(node.at("deviation"));
  if (figure.deviation < 0) node.at("deviation").fail("0 or more", node.at("deviation").value().dump());
  for (const JsonAt& value : node.at("values").list(kMostValues)) figure.values.push_back(shown_number(value));
  const auto difference = node.find("difference");
  if (!difference) return figure;
  Comparison& against = figure.against.emplace();
  against.difference = shown_number(*difference);
  against.p_two_sided = shown_number(node.at("p_two_sided"));
  if (const auto test = node.find("test")) against.test = test->text();
  if (const auto interval = node.find("interval")) {
    const auto ends = interval->list(2);
    if (ends.size() != 2) interval->fail("two numbers", std::to_string(ends.size()));
    BootstrapInterval& drawn = against.interval.emplace();
    drawn.difference = against.difference;
    // A bound that does not exist is written as null.
    drawn.low = ends[0].value().is_null() ? -INFINITY : shown_number(ends[0]);
    drawn.high = ends[1].value().is_null() ? INFINITY : shown_number(ends[1]);
  }
  return figure;
}

ArmResult row_of(const JsonAt& node) {
  ArmResult row{.name = node.at("name").text()};
  row.seeds = row.scored = node.at("seeds").integer(0, 1'000'000);
  row.broken = text_list(node.at("broken"), kMostValues);
  if (const auto iterations = node.find("iterations")) row.iterations = shown_number(*iterations);
  if (const auto seconds = node.find("seconds")) row.seconds = shown_number(*seconds);
  if (!(row.seconds >= 0 && row.seconds <= kMostSeconds))
    node.fail("seconds of 0 or more", fmt::format("{}", row.seconds));
  if (const auto figures = node.find("figures")) {
    if (!figures->value().is_object()) figures->fail("an object", figures->value().type_name());
    for (const auto& [name, value] : figures->value().items()) row.figures[name] = figure_of(figures->at(name));
  }
  return row;
}

}  // namespace

ExperimentResults parse_results(std::string_view text, const std::string& label) {
  const Json object = parse_object(text, label);
  const JsonAt node(object, label);
  ExperimentResults results;
  results.title = node.at("title").text();
  results.baseline = node.at("baseline").text();
  results.seeds = node.at("seeds").integer(0, 1'000'000);
  for (const JsonAt& table : node.at("tables").list(kMostTables)) {
    JudgedTable& judged = results.tables.emplace_back();
    judged.judge = table.at("judge").text();
    judged.data = table.at("data").text();
    judged.budget = table.at("budget").text() == to_string(Budget::kSeconds) ? Budget::kSeconds : Budget::kPairs;
    judged.figures = text_list(table.at("figures"), kMostNames);
    for (const JsonAt& row : table.at("rows").list(kMostRows)) judged.rows.push_back(row_of(row));
  }
  if (const auto notes = node.find("notes")) results.notes = text_list(*notes, kMostNotes);
  if (const auto shortfalls = node.find("shortfalls")) results.shortfalls = text_list(*shortfalls, kMostNotes);
  return results;
}

}  // namespace adasample
