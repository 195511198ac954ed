// SPDX-License-Identifier: Apache-2.0
// The sampler's picks as pictures: the anchor, then what it could be paired with, nearest first, the drawn one framed.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "adasample/report/html.h"
#include "adasample/report/page_parts.h"

namespace adasample {
namespace {

constexpr size_t kShownPicks = 5, kShownPatches = 24;  // of a snapshot, of a pick: beyond that pages only get heavy

// Candidates by distance; where there are too many, some are left out evenly, never the drawn one.
std::vector<size_t> candidates_of(const Pick& pick) {
  std::vector<size_t> order;
  for (size_t i = 0; i < pick.patches.size(); ++i) {
    if (i != pick.anchor) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const double da = pick.distances[a], db = pick.distances[b];
    return std::isnan(db) ? !std::isnan(da) : da < db;
  });
  if (order.size() < kShownPatches) return order;
  std::vector<size_t> kept;
  for (size_t i = 0; i < order.size(); ++i) {
    const bool next = i * (kShownPatches - 1) / order.size() != (i + 1) * (kShownPatches - 1) / order.size();
    if (next || order[i] == pick.drawn) kept.push_back(order[i]);
  }
  return kept;
}

std::string patch_html(const Pick& pick, size_t i) {
  const std::string_view role = i == pick.anchor ? "anchor" : i == pick.drawn ? "drawn" : "";
  std::string text = role.empty() ? "" : fmt::format("<b>{}</b>", role);
  const auto line = [&](const char* name, double value) {
    if (std::isfinite(value)) text += fmt::format("<span><i>{}</i> {:.2g}</span>", name, value);
  };
  line("d", pick.distances[i]);
  line("p", pick.chances[i]);
  return fmt::format(R"(<li class="{}"><img src="{}" alt="patch {}{}{}" width="{}" height="{}">{}</li>)", role,
                     picture_uri(pick.patches[i]), i, role.empty() ? "" : ", ", role, pick.patches[i].width,
                     pick.patches[i].height, text);
}

std::string pick_html(const Pick& pick) {
  const std::vector<size_t> candidates = candidates_of(pick);
  std::string html = fmt::format(R"(<div class="pick"><h4>class {}</h4><ul>)", pick.class_id);
  html += patch_html(pick, pick.anchor);
  for (const size_t i : candidates) html += patch_html(pick, i);
  html += "</ul>";
  const size_t left_out = pick.patches.size() - 1 - candidates.size();
  if (left_out > 0) html += fmt::format("<p>{} more were passed over.</p>", left_out);
  return html + "</div>\n";
}

// First, middle and last of the snapshots that have picks.
std::vector<const Snapshot*> chosen(const RunData& run) {
  std::vector<const Snapshot*> all, some;
  for (const Snapshot& snapshot : run.snapshots) {
    if (!snapshot.picks.empty()) all.push_back(&snapshot);
  }
  for (size_t i = 0; i < all.size(); ++i) {
    if (i == 0 || i == all.size() / 2 || i + 1 == all.size()) some.push_back(all[i]);
  }
  return some;
}

}  // namespace

std::string pick_section(const Runs& runs) {
  std::string content;
  for (size_t r = 0; r < runs.size(); ++r) {
    const auto snapshots = chosen(runs[r]);
    if (snapshots.empty()) continue;
    if (runs.size() > 1) content += "<h3>" + run_label(runs, r) + "</h3>\n";
    for (const Snapshot* snapshot : snapshots) {
      content += fmt::format("<details{}><summary>Iteration {}</summary>\n",
                             snapshot == snapshots.back() ? " open" : "", grouped(snapshot->iteration));
      for (size_t p = 0; p < std::min(kShownPicks, snapshot->picks.size()); ++p)
        content += pick_html(snapshot->picks[p]);
      content += "</details>\n";
    }
  }
  if (content.empty()) return "";
  return section("picks", "What the sampler picked",
                 "A row a class: the anchor, then its candidates from near to far, the one that was drawn framed; "
                 "<i>d</i> is the distance to the anchor, <i>p</i> the chance of being drawn.",
                 content);
}

}  // namespace adasample
