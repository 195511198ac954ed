// SPDX-License-Identifier: Apache-2.0
#include "adasample/experiment/reproduce/page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "adasample/base/files/file_io.h"

namespace adasample {
namespace {

// What would end a cell of a Markdown table.
std::string cell(const std::string& text) {
  std::string safe;
  for (const char c : text) safe += c == '|' ? std::string("\\|") : c == '\n' ? std::string(" ") : std::string(1, c);
  return safe;
}

std::string markdown_table(const ReportTable& table) {
  const auto line = [](const std::vector<std::string>& cells) {
    std::string text = "|";
    for (const std::string& one : cells) text += " " + cell(one) + " |";
    return text + "\n";
  };
  std::string text;
  if (!table.title.empty()) text += "## " + table.title + "\n\n";
  if (!table.note.empty()) text += table.note + "\n\n";
  text += line(table.columns) + "|";
  for (size_t c = 0; c < table.columns.size(); ++c) text += "---|";
  text += "\n";
  for (const auto& row : table.rows) text += line(row);
  return text + "\n";
}

ReportTable claim_table(const std::vector<Claim>& claims) {
  ReportTable table{.title = "Verdicts", .columns = {"claim", "verdict", "what was seen"}};
  for (const Claim& claim : claims) table.rows.push_back({claim.text, to_string(claim.verdict), claim.why});
  return table;
}

ReportTable list_table(const std::string& title, const std::vector<std::pair<std::string, std::string>>& pairs) {
  ReportTable table{.title = title, .columns = {"", ""}};
  for (const auto& [name, value] : pairs) table.rows.push_back({name, value});
  return table;
}

}  // namespace

std::string ReproducedPage::markdown() const {
  std::string text = "# " + title + "\n\n" + lead + "\n\n";
  if (!claims.empty()) text += markdown_table(claim_table(claims));
  for (const auto& [file, svg] : pictures) text += fmt::format("![{}]({})\n\n", title, file);
  for (const ReportTable& table : tables) text += markdown_table(table);
  if (!facts.empty()) text += markdown_table(list_table("How", facts));
  if (!notes.empty()) text += "## Left out\n\n";
  for (const std::string& note : notes) text += "- " + cell(note) + "\n";
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

std::string ReproducedPage::html() const {
  Report report{.title = title, .runs = {}, .tables = {}, .references = {}};
  ReportTable verdicts = claim_table(claims);
  verdicts.note = lead;
  report.tables.push_back(std::move(verdicts));
  for (const ReportTable& table : tables) report.tables.push_back(table);
  report.tables.push_back(list_table("How", facts));
  if (!notes.empty()) {
    ReportTable left_out{.title = "Left out", .columns = {"what"}};
    for (const std::string& note : notes) left_out.rows.push_back({note});
    report.tables.push_back(std::move(left_out));
  }
  return html_report(report);
}

void ReproducedPage::write(const std::filesystem::path& folder) const {
  const auto place = folder / name;
  std::filesystem::create_directories(place);
  for (const auto& [file, svg] : pictures) write_file_atomically(place / file, svg);
  write_file_atomically(place / "page.html", html());
  write_file_atomically(place / "README.md", markdown());
}

}  // namespace adasample
