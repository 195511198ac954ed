// SPDX-License-Identifier: Apache-2.0
// Figures, configurations and data sets of the runs side by side.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_set>

#include "adasample/base/error.h"
#include "adasample/base/text.h"
#include "adasample/report/html.h"
#include "adasample/report/metric_catalog.h"
#include "adasample/report/page_parts.h"

namespace adasample {
namespace {

using Entries = std::vector<std::pair<std::string, std::string>>;

}  // namespace

Entries config_entries(const std::string& toml) {
  Entries entries;
  std::string prefix;
  for (TextReader reader(toml, "report", "config.toml"); reader.next();) {
    const std::string_view line = reader.line();
    const size_t equals = line.find('=');
    if (line.starts_with('[') && line.ends_with(']')) {
      prefix = std::string(line.substr(1, line.size() - 2)) + ".";
    } else if (!line.starts_with('#') && equals != std::string_view::npos) {
      entries.emplace_back(prefix + std::string(trimmed(line.substr(0, equals))), trimmed(line.substr(equals + 1)));
    }
  }
  return entries;
}

namespace {

// A row a name, a column a run; where asked for, rows in which runs differ are marked.
std::string side_by_side(const Runs& runs, const std::vector<Entries>& columns, bool mark) {
  std::vector<std::string> names;
  std::unordered_set<std::string> known;  // a file may name a million
  std::vector<std::map<std::string, std::string>> values(columns.size());
  for (size_t c = 0; c < columns.size(); ++c) {
    for (const auto& [name, value] : columns[c]) {
      if (known.insert(name).second) names.push_back(name);
      values[c].emplace(name, value);
    }
  }
  if (names.empty()) return "";
  std::string html = R"(<div class="scroll"><table class="sides"><thead><tr><th></th>)";
  for (size_t r = 0; r < runs.size(); ++r) html += R"(<th scope="col">)" + run_label(runs, r) + "</th>";
  html += "</tr></thead><tbody>\n";
  for (const std::string& name : names) {
    std::string cells;
    bool differs = false;
    for (const auto& column : values) {
      const auto found = column.find(name);
      const std::string value = found == column.end() ? "-" : found->second;
      const auto first = values[0].find(name);
      differs |= value != (first == values[0].end() ? "-" : first->second);
      cells += "<td>" + escaped(value) + "</td>";
    }
    html += fmt::format(R"(<tr{}><th scope="row">{}</th>{}</tr>)", mark && differs ? R"( class="differs")" : "",
                        escaped(name), cells) +
            "\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string last_finite(const Series& series) {
  const auto found =
      std::find_if(series.values.rbegin(), series.values.rend(), [](double v) { return std::isfinite(v); });
  return found == series.values.rend() ? "-" : figure(*found);
}

bool is_hash(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

std::string table_html(const ReportTable& table) {
  std::string html;
  if (!table.title.empty()) html += "<h2>" + escaped(table.title) + "</h2>\n";
  if (!table.note.empty()) html += R"(<p class="lead">)" + escaped(table.note) + "</p>\n";
  html += R"(<div class="scroll"><table><thead><tr>)";
  for (const std::string& column : table.columns) html += R"(<th scope="col">)" + escaped(column) + "</th>";
  html += "</tr></thead><tbody>\n";
  for (const auto& row : table.rows) {
    ADA_ASSERT(row.size() == table.columns.size());
    html += R"(<tr><th scope="row">)" + escaped(row[0]) + "</th>";
    for (size_t c = 1; c < row.size(); ++c)
      html += (is_hash(row[c]) ? R"(<td class="hash">)" : "<td>") + escaped(row[c]) + "</td>";
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string figure_table(const Runs& runs) {
  std::vector<Entries> columns;
  for (const RunData& run : runs) {
    columns.emplace_back();
    for (const Series& series : run.metrics)
      columns.back().emplace_back(metric_text(series.name).title, last_finite(series));
  }
  const std::string table = side_by_side(runs, columns, /*mark=*/false);
  return table.empty() ? "" : section("figures", "Last values", "", table);
}

std::string configuration_section(const Runs& runs) {
  std::vector<Entries> columns;
  std::string texts;
  for (size_t r = 0; r < runs.size(); ++r) {
    columns.push_back(config_entries(runs[r].config));
    columns.back().insert(columns.back().end(), runs[r].facts.begin(), runs[r].facts.end());
    if (!runs[r].config.empty())
      texts += "<details><summary>config.toml of " + run_label(runs, r) + "</summary><pre>" + escaped(runs[r].config) +
               "</pre></details>\n";
  }
  const std::string content = side_by_side(runs, columns, /*mark=*/true) + texts;
  if (content.empty()) return "";
  return section("configuration", "Configuration", runs.size() > 1 ? "Marked rows differ between the runs." : "",
                 content);
}

std::string data_section(const Runs& runs) {
  ReportTable table{.columns = {"run", "for", "store", "patches", "classes", "size", "sha256", "sha256 of a sample"},
                    .rows = {}};
  for (const RunData& run : runs) {
    for (const StoreInfo& s : run.stores)
      table.rows.push_back({run.name, s.role, s.path, grouped(s.patches), grouped(s.classes),
                            fmt::format("{0}\u00d7{0}", s.patch_size), s.sha256.empty() ? "-" : s.sha256,
                            s.sample_sha256.empty() ? "-" : s.sample_sha256});
  }
  return table.rows.empty() ? "" : section("data", "Data", "", table_html(table));
}

}  // namespace adasample
