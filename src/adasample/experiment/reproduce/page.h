// SPDX-License-Identifier: Apache-2.0
// A reproduced table or figure as a page: what was run on what, the paper's numbers beside ours, verdicts. As Markdown
// (README.md) and as HTML (page.html), from the same words.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "adasample/experiment/reproduce/verdict.h"
#include "adasample/report/html_report.h"

namespace adasample {

struct ReproducedPage {
  std::string name;   // "table1": its folder
  std::string title;  // says which data, and the pairs of a run
  std::string lead;   // what it is, in a sentence or two
  std::vector<Claim> claims = {};
  std::vector<ReportTable> tables = {};                            // their charts are for the HTML alone
  std::vector<std::pair<std::string, std::string>> facts = {};     // command, hardware, minutes, ..
  std::vector<std::string> notes = {};                             // what was left out or broke down
  std::vector<std::pair<std::string, std::string>> pictures = {};  // file and its SVG, written beside the page

  std::string markdown() const;
  std::string html() const;
  // Into `folder`/name; replaces what an earlier call wrote.
  void write(const std::filesystem::path& folder) const;
};

}  // namespace adasample
