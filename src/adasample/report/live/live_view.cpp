// SPDX-License-Identifier: Apache-2.0
#include "adasample/report/live/live_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "adasample/base/text.h"
#include "adasample/report/html.h"
#include "adasample/report/html_report.h"
#include "adasample/report/live/live_page.h"
#include "adasample/report/page_parts.h"
#include "adasample/train/run/collapse_alarm.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;

constexpr size_t kSpeedWindow = 50;       // iterations
constexpr double kLeastSilence = 60;      // seconds
constexpr double kUsualSilences = 20;     // so many times as long as readings of the ring usually take
constexpr int64_t kMostReadingGap = 100;  // iterations between two readings of the trainer's ring, as a rule at most

bool is_run(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / "metrics.jsonl", ignored);
}

// A run folder is itself; of a folder of runs, or an experiment's, its runs by name.
std::vector<fs::path> runs_in(const fs::path& folder) {
  std::error_code error;
  if (is_run(folder) || !fs::is_directory(folder, error)) return {folder};
  std::vector<fs::path> found;
  for (const fs::path& place : {folder, folder / "runs"}) {
    for (auto entry = fs::directory_iterator(place, error); !error && entry != fs::directory_iterator();
         entry.increment(error)) {
      if (is_run(entry->path())) found.push_back(entry->path());
    }
  }
  std::sort(found.begin(), found.end());
  return found.empty() ? std::vector{folder} : found;
}

std::optional<double> setting(const RunData& run, const std::string& name) {
  for (const auto& [key, value] : config_entries(run.config)) {
    double number = 0;
    if (key == name && parse_number(value, number)) return number;
  }
  return std::nullopt;
}

double last_value(const RunData& run, const char* metric) {
  const Series* series = run.metric(metric);
  return series == nullptr || series->values.empty() ? NAN : series->values.back();
}

int64_t iterations_done(const RunData& run) {
  const Series* loss = run.metric("loss");
  return loss == nullptr || loss->iterations.empty() ? 0 : loss->iterations.back() + 1;
}

// The value of a metric at an iteration, NaN where it was not recorded; `from` moves along with ascending iterations.
double at_iteration(const Series* series, int64_t iteration, size_t& from) {
  if (series == nullptr) return NAN;
  while (from < series->iterations.size() && series->iterations[from] < iteration) ++from;
  return from < series->iterations.size() && series->iterations[from] == iteration ? series->values[from] : NAN;
}

std::optional<std::string> collapse_of(const RunData& run) {
  const Series* loss = run.metric("loss");
  const auto window = static_cast<size_t>(CollapseAlarm::kWindow);
  if (loss == nullptr || loss->values.size() < window) return std::nullopt;
  CollapseAlarm alarm(setting(run, "margin").value_or(1));
  std::optional<CollapseAlarm::Sign> sign;
  size_t positive = 0, rank = 0, masked = 0;
  for (size_t i = loss->values.size() - window; i < loss->values.size(); ++i) {
    const int64_t t = loss->iterations[i];
    sign = alarm.update(loss->values[i], at_iteration(run.metric("d_pos"), t, positive),
                        at_iteration(run.metric("effective_rank"), t, rank),
                        at_iteration(run.metric("masked"), t, masked));
  }
  if (!sign) return std::nullopt;
  return "Collapse: " + sign->text() + ".";
}

LiveCard live_card(const RunTail& tail, size_t index) {
  const RunData& run = tail.data();
  LiveCard card{.state = "training", .calm = true, .html = {}, .items = {}};
  const int64_t done = iterations_done(run);
  const std::optional<int64_t> total = planned_iterations(run);
  const double silent = std::chrono::duration<double>(RunTail::Clock::now() - tail.last_news()).count();
  const std::vector<std::string> alarms = alarms_of(run, silent);
  if (done == 0) card.state = "waiting for the first iteration";
  card.calm = alarms.empty();
  for (const std::string& alarm : alarms) card.html += R"(<p class="alarm" role="alert">)" + escaped(alarm) + "</p>";
  if (run.result) {
    card.html += fmt::format(R"(<p><a href="report/{}">its report</a></p>)", index);
    return card;
  }
  if (total) {
    card.html += fmt::format(R"(<progress max="{}" value="{}"></progress>)", *total, std::min(done, *total));
    card.items.emplace_back("planned iterations", grouped(*total));
  }
  const double speed = present_speed(run), batch = setting(run, "batch").value_or(NAN);
  if (std::isfinite(speed)) card.items.emplace_back("pairs a second", fmt::format("{:.0f}", speed));
  const double left = total ? static_cast<double>(*total - done) * batch / speed : NAN;
  if (std::isfinite(left) && left >= 0) card.items.emplace_back("time left", duration(left));
  return card;
}

}  // namespace

std::optional<int64_t> planned_iterations(const RunData& run) {
  const auto iterations = setting(run, "iterations"), pairs = setting(run, "pairs"), epochs = setting(run, "epochs"),
             batch = setting(run, "batch");
  double total = NAN;
  if (iterations && *iterations > 0) {
    total = *iterations;
  } else if (pairs && epochs && batch && *batch >= 1) {
    total = std::ceil(*pairs / *batch) * *epochs;
  }
  if (!(total >= 1 && total < 1e15)) return std::nullopt;
  return static_cast<int64_t>(total);
}

double present_speed(const RunData& run) {
  const Series* speeds = run.metric("pairs_per_s");
  if (speeds == nullptr) return NAN;
  std::vector<double> last;
  for (size_t i = speeds->values.size(); i-- > 0 && last.size() < kSpeedWindow;) {
    if (std::isfinite(speeds->values[i]) && speeds->values[i] > 0) last.push_back(speeds->values[i]);
  }
  if (last.empty()) return NAN;
  std::nth_element(last.begin(), last.begin() + static_cast<std::ptrdiff_t>(last.size() / 2), last.end());
  return last[last.size() / 2];
}

std::vector<std::string> alarms_of(const RunData& run, double silent) {
  std::vector<std::string> alarms;
  if (run.result) return alarms;  // it says itself how it ended
  if (const auto collapse = collapse_of(run)) alarms.push_back(*collapse);
  if (iterations_done(run) > 0 && !std::isfinite(last_value(run, "loss"))) {
    alarms.emplace_back("The loss is not finite.");
  } else if (last_value(run, "stepped") == 0) {
    alarms.emplace_back("The last step was not taken: a gradient was not finite.");
  }
  const double usual = kMostReadingGap * setting(run, "batch").value_or(0) / present_speed(run);
  if (iterations_done(run) > 0 && silent > std::max(kLeastSilence, std::isfinite(usual) ? kUsualSilences * usual : 0)) {
    alarms.push_back(
        fmt::format("No news for {}: stopped, killed or waiting. `train --resume` goes on.", duration(silent)));
  }
  return alarms;
}

LiveView::LiveView(std::vector<fs::path> folders) : folders_(std::move(folders)) {
  refresh();
  if (parts_.empty()) render();
}

// Runs that appear are taken in; those that were shown stay, so that colours and addresses do.
void LiveView::find_runs() {
  std::vector<fs::path> wanted;
  for (const fs::path& folder : folders_) {
    for (const fs::path& run : runs_in(folder)) wanted.push_back(run);
  }
  // A folder that was waited for as a run itself turned out to hold runs.
  std::erase_if(runs_, [&](const auto& run) {
    return std::find(wanted.begin(), wanted.end(), run->folder()) == wanted.end() && !is_run(run->folder());
  });
  left_out_ = 0;
  for (const fs::path& folder : wanted) {
    const auto same = [&](const auto& run) { return run->folder() == folder; };
    if (std::any_of(runs_.begin(), runs_.end(), same)) continue;
    if (runs_.size() < kMostWatched) {
      runs_.push_back(std::make_unique<RunTail>(folder));
    } else {
      ++left_out_;
    }
  }
}

bool LiveView::refresh() {
  const size_t before = runs_.size(), left_before = left_out_;
  find_runs();
  bool news = runs_.size() != before || left_out_ != left_before;
  for (const auto& run : runs_) news |= run->refresh();
  const uint64_t version = version_;
  if (news) {
    render();
  } else if (!parts_.empty()) {  // alarms come with the clock
    render_cards();
  }
  return version_ != version;
}

Runs LiveView::run_data() const {
  Runs runs;
  std::set<std::string> names;
  for (const auto& run : runs_) {
    runs.push_back(run->data());
    names.insert(run->data().name);
  }
  if (names.size() < runs.size()) {  // folder names make better labels than paths, as long as they differ
    for (size_t r = 0; r < runs.size(); ++r) runs[r].name = runs_[r]->folder().string();
  }
  return runs;
}

void LiveView::put(const std::string& id, std::string html) {
  const auto found = std::find_if(parts_.begin(), parts_.end(), [&](const LivePart& part) { return part.id == id; });
  if (found == parts_.end()) {
    parts_.push_back({id, std::move(html), ++version_});
  } else if (found->html != html) {
    found->html = std::move(html);
    found->version = ++version_;
  }
}

void LiveView::render_cards() { put("cards", cards(run_data())); }

std::string LiveView::cards(const Runs& runs) const {
  std::string html = R"(<div class="cards">)";
  for (size_t r = 0; r < runs.size(); ++r) {
    const LiveCard live = live_card(*runs_[r], r);
    html += run_card(runs, r, &live);
  }
  html += "</div>\n";
  if (left_out_ > 0) html += fmt::format("<p>{} more runs are not shown: {} at most.</p>\n", left_out_, kMostWatched);
  return html;
}

void LiveView::render() {
  const Runs runs = run_data();
  std::string legend;
  for (size_t r = 0; r < runs.size() && runs.size() > 1; ++r) legend += run_label(runs, r) + " ";
  put("legend", legend);
  put("cards", cards(runs));
  put("metrics", metric_sections(runs));
  put("histograms", histogram_section(runs));
  put("picks", pick_section(runs));
  put("curves", curve_section({.title = "", .runs = runs, .tables = {}, .references = {}}));
  put("tables", configuration_section(runs) + figure_table(runs) + data_section(runs));
}

std::string LiveView::page() const { return live_page(parts_); }

std::string LiveView::content_policy() { return live_content_policy(); }

std::optional<std::string> LiveView::report(size_t index) const {
  Runs runs = run_data();
  if (index >= runs.size()) return std::nullopt;
  const std::string title = "Run " + runs[index].name;
  return html_report({title, {std::move(runs[index])}, {}, {}});
}

}  // namespace adasample
