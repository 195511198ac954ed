// SPDX-License-Identifier: Apache-2.0
// One HTML file about one or several runs. It fetches nothing (its content security policy forbids that), opens from
// disk, and is complete without JavaScript but for the figures under the pointer.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "adasample/report/run_data.h"

namespace adasample {

struct ReportTable {
  std::string title = {}, note = {};  // plain text, like the cells
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows = {};  // each as long as `columns`; the first cell names the row
  std::vector<std::string> charts = {};             // <figure>s that stand below it
};

struct Report {
  std::string title;
  std::vector<RunData> runs;            // names should differ
  std::vector<ReportTable> tables;      // shown before everything else
  std::vector<NamedCurves> references;  // further curves, such as those of SIFT
};

std::string html_report(const Report& report);

// The page about one run, as RUN/report.html.
void write_run_report(const std::filesystem::path& run);

}  // namespace adasample
