// SPDX-License-Identifier: Apache-2.0
// Run folders: their numbers, and the report's own page and charts.
#include <pybind11/stl.h>

#include "adasample/report/html_report.h"
#include "adasample/report/page_parts.h"
#include "python/native/border.h"

namespace adasample::python {
namespace {

RunData read(const std::string& folder) {
  return without_gil([&] { return read_run(folder); });
}

}  // namespace

void bind_runs(py::module_& module) {
  module.def(
      "run_metrics",
      [](const std::string& folder) {
        py::dict metrics;
        for (Series& series : read(folder).metrics) {
          const py::ssize_t n = std::ssize(series.values);
          metrics[py::str(series.name)] =
              py::make_tuple(to_array(std::move(series.iterations), {n}), to_array(std::move(series.values), {n}));
        }
        return metrics;
      },
      py::arg("folder"));
  module.def(
      "run_page",
      [](const std::string& folder) {
        RunData run = read(folder);
        const std::string title = "Run " + run.name;
        return html_report({title, {std::move(run)}, {}, {}});
      },
      py::arg("folder"));
  module.def(
      "run_figures",
      [](const std::vector<std::string>& folders, const std::string& metric) {
        Runs runs;
        for (const std::string& folder : folders) runs.push_back(read(folder));
        return metric_figure(runs, metric);
      },
      py::arg("folders"), py::arg("metric"));
  module.attr("PAGE_STYLE") = std::string(kPageStyle);
}

}  // namespace adasample::python
