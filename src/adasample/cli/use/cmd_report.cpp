// SPDX-License-Identifier: Apache-2.0
// adasample report: runs as one HTML page.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/progress.h"
#include "adasample/cli/context.h"
#include "adasample/experiment/grid/results.h"
#include "adasample/report/html_report.h"

namespace adasample {
namespace {

struct ReportArguments {
  std::vector<std::string> runs;
  std::string out;
};

// Folder names make better labels than paths, as long as they differ.
void tell_apart(std::vector<RunData>& runs, const std::vector<std::string>& paths) {
  std::set<std::string> names;
  for (const RunData& run : runs) names.insert(run.name);
  if (names.size() == runs.size()) return;
  for (size_t r = 0; r < runs.size(); ++r) runs[r].name = paths[r];
}

bool is_experiment(const std::string& folder) {
  const std::filesystem::path place(folder);
  return std::filesystem::exists(place / "result.json") && std::filesystem::is_directory(place / "scores");
}

// An experiment's page stands by itself: its grid with intervals, and quality against seconds.
int write_experiment_report(const Context& context, const ReportArguments& a) {
  ADA_USAGE(a.runs.size() == 1, "{} is an experiment: report takes one at a time, without runs beside it", a.runs[0]);
  const std::filesystem::path file = std::filesystem::path(a.runs[0]) / "result.json";
  const ExperimentResults results = parse_results(read_text(file, kMostJson), file.string());
  const std::string out = a.out.empty() ? (std::filesystem::path(a.runs[0]) / "report.html").string() : a.out;
  const std::string page = results.html();
  write_file_atomically(out, page);
  context.show({{"out", out}, {"tables", results.tables.size()}, {"bytes", page.size()}},
               fmt::format("{}: {} KB about {} table{}", out, (page.size() + 999) / 1000, results.tables.size(),
                           results.tables.size() == 1 ? "" : "s"));
  return 0;
}

int write_report(const Context& context, const ReportArguments& a) {
  for (const std::string& folder : a.runs) {
    if (!is_experiment(folder)) continue;
    ReportArguments first = a;
    std::swap(first.runs[0], *std::find(first.runs.begin(), first.runs.end(), folder));
    return write_experiment_report(context, first);
  }
  ADA_USAGE(a.runs.size() == 1 || !a.out.empty(), "--out is needed for the report of {} runs", a.runs.size());
  const std::string out = a.out.empty() ? (std::filesystem::path(a.runs[0]) / "report.html").string() : a.out;
  Report report;
  Progress progress("reading", "runs", static_cast<int64_t>(a.runs.size()));
  for (const std::string& folder : a.runs) {
    if (stop_requested()) ADA_THROW_KIND(kInterrupted, "[report] interrupted; nothing was written");
    report.runs.push_back(read_run(folder));
    progress.add(1);
  }
  tell_apart(report.runs, a.runs);
  report.title = report.runs.size() == 1 ? "Run " + report.runs[0].name : fmt::format("{} runs", report.runs.size());
  const std::string page = html_report(report);
  write_file_atomically(out, page);
  context.show({{"out", out}, {"runs", a.runs.size()}, {"bytes", page.size()}},
               fmt::format("{}: {} KB about {} run{}", out, (page.size() + 999) / 1000, a.runs.size(),
                           a.runs.size() == 1 ? "" : "s"));
  return 0;
}

}  // namespace

void add_report_command(CLI::App& app, Context& context) {
  CLI::App* command = add_command(
      app, "report", "Show runs as one HTML page: curves, distributions, picks, configurations",
      "  adasample report runs/a                           # writes runs/a/report.html\n"
      "  adasample report runs/a runs/u --out compare.html\n"
      "  adasample report results                          # an experiment: its grid, quality against seconds\n");
  auto a = std::make_shared<ReportArguments>();
  command->add_option("runs", a->runs, "Run folders, which may still be training; or an experiment's folder")
      ->required()
      ->type_name("RUN");
  command->add_option("--out", a->out, "Page to write or overwrite (default for one run: RUN/report.html)")
      ->type_name("FILE");
  command->callback([&context, a] { context.action = [&context, a] { return write_report(context, *a); }; });
}

}  // namespace adasample
