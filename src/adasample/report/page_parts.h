// SPDX-License-Identifier: Apache-2.0
// The sections of the page, one function each; all give HTML, "" where there is nothing to show.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "adasample/report/html_report.h"

namespace adasample {

using Runs = std::vector<RunData>;

extern const std::string_view kPageStyle;   // CSS
extern const std::string_view kPageScript;  // JavaScript

// From the first tag to the title that is shown. `policy`: what the page may have besides its style, as a content
// policy says it, with a blank at the end.
std::string page_head(const std::string& title, const std::string& policy);

// Classes for the colour and dashes of run or reference `index`: 8 colours in 4 dashes are told apart.
std::string run_style(size_t index);
std::string reference_style(size_t index);
// A swatch and the name.
std::string run_label(const Runs& runs, size_t index);
std::string section(std::string_view id, std::string_view title, const std::string& lead, const std::string& content);

// What only a run that is being watched has to say.
struct LiveCard {
  std::string state;                                            // where it has no result yet
  bool calm = true;                                             // false: the state is shown as a warning
  std::string html;                                             // below the state
  std::vector<std::pair<const char*, std::string>> items = {};  // name and value, beside the others
};
std::string run_card(const Runs& runs, size_t index, const LiveCard* live);  // `live` may be null
std::string headline_cards(const Runs& runs);
std::string metric_sections(const Runs& runs);
// One metric alone as a <figure>; throws Error, naming those that are there, where no run has it.
std::string metric_figure(const Runs& runs, const std::string& name);
std::string histogram_section(const Runs& runs);
std::string pick_section(const Runs& runs);
std::string curve_section(const Report& report);
std::string table_html(const ReportTable& table);
std::string figure_table(const Runs& runs);
std::string configuration_section(const Runs& runs);
std::string data_section(const Runs& runs);

}  // namespace adasample
