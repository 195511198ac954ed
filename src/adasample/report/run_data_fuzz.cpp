// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/error.h"
#include "adasample/report/html_report.h"

// Whatever the bytes, taken as each of the files of a run: an Error, or a run of which a page can be made.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace adasample;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  RunData run;
  bool cut = false;
  try {
    switch (data[0] % 6) {
      case 0:
        run.metrics = parse_metrics(text, "metrics.jsonl", cut);
        break;
      case 1:
        run.snapshots = parse_snapshots(text, "snapshots.jsonl", cut);
        break;
      case 2:
        run.curves = parse_curves(text, "curves.json");
        break;
      case 3:
        run.result = parse_run_result(text, "result.json");
        break;
      case 4:
        parse_run_info(text, "run.json", run);
        break;
      case 5:
        run.config = text;
        break;
    }
  } catch (const Error& error) {
    if (error.kind() == Error::Kind::kBug || std::string_view(error.what()).find('\n') != std::string_view::npos)
      __builtin_trap();
    return 0;
  }
  for (const Series& series : run.metrics) {
    if (series.values.size() != series.iterations.size()) __builtin_trap();
  }
  if (data[0] / 6 % 4 != 0) return 0;  // a page takes ten times as long as reading
  const std::string page = html_report({.title = "fuzz", .runs = {run}, .tables = {}, .references = {}});
  if (page.find("d=\"nan") != std::string::npos || !page.ends_with("</html>\n")) __builtin_trap();
  return 0;
}
