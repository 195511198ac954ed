// SPDX-License-Identifier: Apache-2.0
#include "adasample/report/html_report.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>

#include "adasample/base/bytes/base64.h"
#include "adasample/base/bytes/sha256.h"
#include "tests/support/made_run.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

using testing::MadeRun;

size_t count(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++n;
  return n;
}

std::string page_of(std::vector<RunData> runs) {
  return html_report({.title = "T", .runs = std::move(runs), .tables = {}, .references = {}});
}

RunData with_metric(const std::string& name, const std::vector<double>& values) {
  RunData run;
  run.name = "run";
  run.metrics.push_back({.name = name});
  for (size_t i = 0; i < values.size(); ++i) {
    run.metrics[0].iterations.push_back(static_cast<int64_t>(i));
    run.metrics[0].values.push_back(values[i]);
  }
  return run;
}

// A name, wherever a "=" follows it. By hand: std::regex needs a frame of the stack for every letter of a page.
struct Assigned {
  std::string name;
  size_t begin, value;  // of the name, and behind the "="
};
std::vector<Assigned> assigned_in(const std::string& page) {
  std::vector<Assigned> all;
  for (size_t at = page.find('='); at != std::string::npos; at = page.find('=', at + 1)) {
    size_t begin = at;
    const auto in_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_'; };
    while (begin > 0 && in_name(page[begin - 1])) --begin;
    all.push_back({page.substr(begin, at - begin), begin, at + 1});
  }
  return all;
}

// No drawing may hold a place that is none. How many there are.
size_t expect_drawable(const std::string& page) {
  size_t places = 0;
  for (const auto& [name, begin, value] : assigned_in(page)) {
    if (page[value] != '"') continue;
    const bool place = name == "d" || name.ends_with("x") || name.ends_with("y") || name.ends_with("data-low") ||
                       name.ends_with("data-high");
    const std::string text = page.substr(value + 1, page.find('"', value + 1) - value - 1);
    places += place ? 1 : 0;
    EXPECT_FALSE(place && (text.find("nan") != std::string::npos || text.find("inf") != std::string::npos))
        << name << "=" << text;
  }
  return places;
}

TEST(HtmlReport, EveryPartOfAWholeRunIsThere) {
  const testing::TempFolder folder;
  MadeRun{}.write(folder / "a");
  const std::string page = page_of({read_run(folder / "a")});
  for (const std::string& metric : MadeRun::kMetrics) {
    if (metric.starts_with("time_")) continue;
    EXPECT_EQ(count(page, fmt::format("data-metric=\"{}\"", metric)), 1u) << metric;
  }
  for (const char* part : {"id=\"histograms\"", "id=\"picks\"", "id=\"curves\"", "id=\"configuration\"", "id=\"data\"",
                           "data-metric=\"time_\"", "default-src 'none'", "best FPR95", "is cut off"})
    EXPECT_EQ(count(page, part), 1u) << part;
  EXPECT_EQ(count(page, "data-histogram="), 4u);
  EXPECT_EQ(count(page, "<img "), 3u * 3 * 8);
  EXPECT_EQ(count(page, "http://") + count(page, "https://") + count(page, "url("), 0u);
  EXPECT_EQ(count(page, "<section"), count(page, "</section>"));
  EXPECT_EQ(count(page, "<div"), count(page, "</div>"));
  EXPECT_LT(page.size(), 1'000'000u);
  EXPECT_GT(expect_drawable(page), 50u);
}

// A browser obeys the one style and the one script whose hashes the policy names, and nothing that slipped in.
TEST(HtmlReport, ThePolicyNamesStyleAndScriptByHash) {
  const std::string page = page_of({});
  EXPECT_EQ(count(page, "unsafe-inline"), 0u);
  for (const std::string tag : {"style", "script"}) {
    const size_t begin = page.find("<" + tag + ">") + tag.size() + 2, end = page.find("</" + tag + ">");
    ASSERT_LT(begin, end);
    Sha256 sha256;
    sha256.update(page.substr(begin, end - begin));
    std::vector<uint8_t> bytes;
    const std::string hex = sha256.hex();
    for (size_t i = 0; i < hex.size(); i += 2)
      bytes.push_back(static_cast<uint8_t>(std::stoi(hex.substr(i, 2), nullptr, 16)));
    EXPECT_EQ(count(page, tag + "-src 'sha256-" + base64_encode(bytes) + "'"), 1u) << tag;
  }
  for (const auto& [name, begin, value] : assigned_in(page)) {
    const size_t bracket = page.find_last_of("<>", begin);
    const bool in_tag = bracket != std::string::npos && page[bracket] == '<';
    const bool separate = begin > 0 && std::isspace(static_cast<unsigned char>(page[begin - 1]));
    EXPECT_FALSE(in_tag && separate && (name == "style" || name.starts_with("on")))
        << name << ": an attribute that is not obeyed";
  }
}

TEST(HtmlReport, NothingForeignIsMarkup) {
  const testing::TempFolder folder;
  MadeRun{}.write(folder / "a");
  RunData run = read_run(folder / "a");
  const std::string hostile = "\"'><script>alert(1)</script>";
  run.name = run.config = run.result->end = run.result->reason = run.stores[0].path = run.stores[0].sha256 = hostile;
  run.config = hostile + " = " + hostile + "\n[" + hostile + "]\n";
  run.metrics[0].name = run.metrics[12].name = run.snapshots[0].histograms[0].name = hostile;
  run.facts.emplace_back(hostile, hostile);
  run.notes.push_back(hostile);
  run.curves->name = hostile;
  NamedCurves reference = *run.curves;
  const std::string page = html_report({.title = hostile,
                                        .runs = {run, run},
                                        .tables = {{hostile, hostile, {hostile}, {{hostile}}}},
                                        .references = {reference}});
  EXPECT_EQ(count(page, "<script"), 1u);  // ours
  EXPECT_EQ(count(page, "alert(1)"), count(page, "&lt;script&gt;alert(1)&lt;/script&gt;"));
  EXPECT_EQ(count(page, "\"'>"), 0u);
}

TEST(HtmlReport, OddRunsAreDrawn) {
  expect_drawable(page_of({}));
  EXPECT_NE(page_of({RunData{}}).find("not finished"), std::string::npos);
  const std::string one = page_of({with_metric("loss", {0.5})});
  EXPECT_NE(one.find("data-x=\"0\" data-y=\"0.5\""), std::string::npos);
  expect_drawable(one);
  expect_drawable(page_of({with_metric("loss", std::vector<double>(50, 3.25))}));
  const std::string null = page_of({with_metric("loss", {NAN, NAN})});
  EXPECT_NE(null.find("no finite value"), std::string::npos);
  expect_drawable(null);
  expect_drawable(page_of({with_metric("loss", {1e308, -1e308, 1e-320})}));
  expect_drawable(page_of({with_metric("time_a", {NAN, -3, 2})}));
}

TEST(HtmlReport, AnUnknownMetricIsShownUnderItsName) {
  const std::string page = page_of({with_metric("fame & glory", {1, 2})});
  EXPECT_NE(page.find("<h3>fame &amp; glory</h3>"), std::string::npos);
  EXPECT_NE(page.find("<h2>Other</h2>"), std::string::npos);
}

TEST(HtmlReport, ConfigurationsAreComparedLineByLine) {
  RunData a, b;
  a.config = "# comment = 1\nseed = 0\nlr = 10\n[loss]\nmargin = 1\n";
  b.config = "seed = 0\nlr = 3\n[loss]\nmargin = 1\nextra = true\n";
  const std::string page = page_of({a, b});
  EXPECT_NE(page.find("<tr><th scope=\"row\">seed</th><td>0</td><td>0</td></tr>"), std::string::npos);
  EXPECT_NE(page.find("<tr class=\"differs\"><th scope=\"row\">lr</th><td>10</td><td>3</td></tr>"), std::string::npos);
  EXPECT_NE(page.find("<tr><th scope=\"row\">loss.margin</th><td>1</td><td>1</td></tr>"), std::string::npos);
  EXPECT_NE(page.find("<tr class=\"differs\"><th scope=\"row\">loss.extra</th><td>-</td><td>true</td></tr>"),
            std::string::npos);
  EXPECT_EQ(page.find("<th scope=\"row\"># comment"), std::string::npos);
  EXPECT_NE(page.find("<pre># comment = 1\n"), std::string::npos);
}

// A look through all names for each would be 5e9 comparisons of texts.
TEST(HtmlReport, ManyOptionsAreNoTrouble) {
  RunData run;
  run.name = "run";
  for (int i = 0; i < 100'000; ++i) run.config += fmt::format("option{} = {}\n", i, i);
  EXPECT_EQ(count(page_of({run}), "<th scope=\"row\">option"), 100'000u);
}

TEST(HtmlReport, WhatIsNotThereHasNoSection) {
  const std::string page = page_of({RunData{}});
  for (const char* id : {"metrics-0", "histograms", "picks", "curves", "configuration", "figures", "data"})
    EXPECT_EQ(page.find(fmt::format("<section id=\"{}\"", id)), std::string::npos) << id;
}

TEST(HtmlReport, LongRunsMakeSmallPages) {
  RunData run = with_metric("loss", std::vector<double>(100'000));
  for (size_t i = 0; i < 100'000; ++i) run.metrics[0].values[i] = std::sin(static_cast<double>(i)) + 2;
  run.metrics[0].values[77'777] = 50;
  for (int m = 0; m < 17; ++m) {
    run.metrics.push_back(run.metrics[0]);
    run.metrics.back().name = fmt::format("m{}", m);
  }
  const std::string page = page_of({run});
  EXPECT_LT(page.size(), 2'000'000u);
  EXPECT_NE(page.find("data-span=\"167\""), std::string::npos);
  const size_t high = page.find("data-high=\"");
  EXPECT_NE(page.substr(high, page.find('"', high + 11) - high).find(" 50 "), std::string::npos);  // the spike
}

TEST(HtmlReport, PicksShowTheAnchorThenTheCandidatesFromNearToFar) {
  RunData run = with_metric("loss", {1});
  Pick pick{.class_id = 9, .anchor = 1, .drawn = 2};
  pick.patches.assign(40, ByteImage{1, 1, {7}});
  pick.distances.assign(40, NAN);
  pick.chances.assign(40, NAN);
  for (size_t i = 0; i < 40; ++i)
    if (i != 1) pick.distances[i] = 40.0 - static_cast<double>(i);
  run.snapshots.push_back({.iteration = 5, .picks = {pick}});
  const std::string page = page_of({run});
  std::vector<int> shown_patches;
  const std::string alt = "alt=\"patch ";
  for (size_t at = page.find(alt); at != std::string::npos; at = page.find(alt, at + 1))
    shown_patches.push_back(std::stoi(page.substr(at + alt.size(), 8)));
  EXPECT_EQ(shown_patches.at(0), 1);
  EXPECT_TRUE(std::is_sorted(shown_patches.begin() + 1, shown_patches.end(), std::greater<>()));  // d falls with i
  EXPECT_NE(page.find("alt=\"patch 2, drawn\""), std::string::npos);
  const size_t shown = shown_patches.size();
  EXPECT_GE(shown, 24u);
  EXPECT_LE(shown, 25u);
  EXPECT_NE(page.find(fmt::format("{} more were passed over", 40 - shown)), std::string::npos);
}

}  // namespace
}  // namespace adasample
