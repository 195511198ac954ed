// SPDX-License-Identifier: Apache-2.0
#include "adasample/report/html_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "adasample/base/files/file_io.h"
#include "adasample/report/html.h"
#include "adasample/report/page_parts.h"

namespace adasample {
namespace {

constexpr size_t kColours = 8, kDashes = 4;

// The rank that waits least is the one that the others wait for.
std::string ranks_text(const RunResult& result) {
  const auto by_waiting = [](const RunResult::Rank& a, const RunResult::Rank& b) { return a.waited < b.waited; };
  const auto [least, most] = std::minmax_element(result.ranks.begin(), result.ranks.end(), by_waiting);
  const auto share = [&](const RunResult::Rank& rank) { return 100 * rank.waited / std::max(result.seconds, 1e-9); };
  return fmt::format("{}; the slowest is rank {} ({}), which waited {:.0f} % of the time, another {:.0f} %",
                     result.ranks.size(), least - result.ranks.begin(), least->place, share(*least), share(*most));
}

// The best of val_score so far: of a run that has no result yet, too.
double best_score(const RunData& run) {
  if (run.result && run.result->best_val_score) return *run.result->best_val_score;
  double best = NAN;
  if (const Series* scores = run.metric("val_score")) {
    for (const double score : scores->values) best = std::fmin(best, score);
  }
  return best;
}

}  // namespace

std::string run_card(const Runs& runs, size_t r, const LiveCard* live) {
  const RunData& run = runs[r];
  const bool calm = run.result ? run.result->end == "complete" : live != nullptr && live->calm;
  const std::string state = run.result ? run.result->end : live != nullptr ? live->state : "not finished";
  std::string html = fmt::format(R"(<article class="card"><h2>{}</h2><p class="end{}">{}</p>)", run_label(runs, r),
                                 calm ? "" : " early", escaped(state));
  if (live != nullptr) html += live->html;
  if (run.result && !run.result->reason.empty()) html += "<p>" + escaped(run.result->reason) + "</p>";
  html += "<dl>";
  const auto item = [&](const char* name, const std::string& value) {
    html += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", name, value);
  };
  const double best = best_score(run);
  if (std::isfinite(best)) item("best FPR95", percent(best));
  const Series* loss = run.metric("loss");
  if (loss != nullptr && !loss->values.empty())
    item("last loss", std::isfinite(loss->values.back()) ? fmt::format("{:.4g}", loss->values.back()) : "-");
  if (run.result) {
    item("iterations", grouped(run.result->iterations));
    item("pairs", grouped(run.result->pairs));
    item("time", duration(run.result->seconds));
    item("pairs a second", fmt::format("{:.0f}", run.result->pairs_per_s));
    if (!run.result->ranks.empty()) item("ranks", escaped(ranks_text(*run.result)));
  } else if (loss != nullptr && !loss->iterations.empty()) {
    item("last iteration", grouped(loss->iterations.back()));
  }
  if (live != nullptr) {
    for (const auto& [name, value] : live->items) item(name, escaped(value));
  }
  html += "</dl>";
  if (!run.notes.empty()) {
    html += R"(<ul class="notes">)";
    for (const std::string& note : run.notes) html += "<li>" + escaped(note) + "</li>";
    html += "</ul>";
  }
  return html + "</article>\n";
}

std::string run_style(size_t index) { return fmt::format("s{} d{}", index % kColours, index / kColours % kDashes); }
std::string reference_style(size_t index) { return fmt::format("ref d{}", (index + 1) % kDashes); }

std::string run_label(const Runs& runs, size_t index) {
  return fmt::format(R"(<span class="run {}"><i class="swatch"></i>{}</span>)", run_style(index),
                     escaped(runs[index].name));
}

std::string section(std::string_view id, std::string_view title, const std::string& lead, const std::string& content) {
  return fmt::format("<section id=\"{}\"><h2>{}</h2>\n{}{}</section>\n", id, title,
                     lead.empty() ? "" : R"(<p class="lead">)" + lead + "</p>\n", content);
}

std::string headline_cards(const Runs& runs) {
  std::string html = R"(<div class="cards">)";
  for (size_t r = 0; r < runs.size(); ++r) html += run_card(runs, r, nullptr);
  return html + "</div>\n";
}

void write_run_report(const std::filesystem::path& run) {
  RunData data = read_run(run);
  const std::string title = "Run " + data.name;
  write_file_atomically(run / "report.html", html_report({title, {std::move(data)}, {}, {}}));
}

std::string page_head(const std::string& title, const std::string& policy) {
  return fmt::format(
      R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; {3}style-src '{2}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{0}</title>
<style>
{1}</style>
</head>
<body>
<header><h1>{0}</h1></header>
)",
      escaped(title), kPageStyle, content_hash(fmt::format("\n{}", kPageStyle)), policy);
}

std::string html_report(const Report& report) {
  const Runs& runs = report.runs;
  std::string legend;
  for (size_t r = 0; r < runs.size(); ++r) legend += run_label(runs, r) + " ";
  std::string page = page_head(
      report.title, fmt::format("img-src data:; script-src '{}'; ", content_hash(fmt::format("\n{}", kPageScript))));
  if (runs.size() > 1) page += "<nav class=\"legend\" aria-label=\"Runs\">" + legend + "</nav>\n";
  page += "<main>\n";
  for (const ReportTable& table : report.tables) {
    page += "<section>" + table_html(table);
    if (!table.charts.empty())
      page += fmt::format("<div class=\"grid wide\">\n{}</div>\n", fmt::join(table.charts, ""));
    page += "</section>\n";
  }
  page += headline_cards(runs) + metric_sections(runs) + histogram_section(runs) + pick_section(runs) +
          curve_section(report) + (runs.size() > 2 ? "<div>" : R"(<div class="beside">)") +
          configuration_section(runs) + figure_table(runs) + "</div>\n" + data_section(runs);
  page += "</main>\n<div id=\"tip\" role=\"status\" hidden></div>\n<script>\n";
  page += kPageScript;
  return page + "</script>\n</body>\n</html>\n";
}

}  // namespace adasample
