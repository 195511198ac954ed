// SPDX-License-Identifier: Apache-2.0
// The two files of a run that grow: metrics.jsonl and snapshots.jsonl.
#include <cmath>
#include <limits>

#include "adasample/base/bytes/base64.h"
#include "adasample/base/error.h"
#include "adasample/base/text.h"
#include "adasample/report/json_at.h"
#include "adasample/report/plot/scale.h"
#include "adasample/report/run_lines.h"

namespace adasample {
namespace {

constexpr size_t kMostMetrics = 256, kMostHistograms = 64, kMostBins = 4096, kMostPicks = 1000, kMostPatches = 1024;
constexpr size_t kMostSide = 64;                      // of a patch in pixels
constexpr int64_t kMostIteration = int64_t{1} << 53;  // exact in a double, and so in the page's script
constexpr int64_t kMostCount = int64_t{1} << 40;      // sums of them stay in range

// Calls visit(object, "file:line") for each line; `lines` counts them. The last one, where no newline ends it and it is
// no JSON, is cut off.
template <typename Visit>
void each_line(std::string_view text, const std::string& name, int64_t& lines, bool& cut, const Visit& visit) {
  const std::string_view whole = trimmed(text);
  const char* end = whole.data() + whole.size();
  cut = false;
  for (TextReader reader(text, "report", name); reader.next();) {
    const bool unended = reader.line().data() + reader.line().size() == end && !text.ends_with('\n');
    if (unended && !Json::accept(reader.line())) {
      cut = true;
      break;
    }
    const std::string where = fmt::format("{}:{}", name, ++lines);
    visit(parse_object(reader.line(), where), where);
  }
}

int64_t iteration_of(const JsonAt& line) { return line.at("iteration").integer(0, kMostIteration); }

Histogram parse_histogram(const JsonAt& json) {
  Histogram histogram;
  histogram.name = json.at("name").text();
  histogram.low = json.at("low").number();
  histogram.high = json.at("high").number();
  if (!(-kMostFigure <= histogram.low && histogram.low < histogram.high && histogram.high <= kMostFigure))
    json.fail("low < high, at most 1e100", fmt::format("{} and {}", histogram.low, histogram.high));
  for (const JsonAt& count : json.at("counts").list(kMostBins))
    histogram.counts.push_back(count.integer(0, kMostCount));
  if (histogram.counts.empty()) json.at("counts").fail("at least one bin", "none");
  return histogram;
}

ByteImage parse_patch(const JsonAt& json) {
  auto pixels = base64_decode(json.text());
  const size_t count = pixels ? pixels->size() : 0;
  const auto side = static_cast<size_t>(std::lround(std::sqrt(static_cast<double>(count))));
  if (side == 0 || side > kMostSide || side * side != count)
    json.fail("base64 of a square picture of at most 64 x 64 bytes",
              pixels ? fmt::format("{} bytes", count) : shown(json.text()));
  return {static_cast<int>(side), static_cast<int>(side), std::move(*pixels)};
}

// A number or null for each patch; missing altogether is all null.
std::vector<double> parse_per_patch(const JsonAt& pick, const std::string& key, size_t patches) {
  std::vector<double> values;
  const auto list = pick.find(key);
  if (!list) return std::vector<double>(patches, std::numeric_limits<double>::quiet_NaN());
  for (const JsonAt& value : list->list(kMostPatches)) values.push_back(value.number_or_nan());
  if (values.size() != patches)
    list->fail(fmt::format("{} values, one a patch", patches), std::to_string(values.size()));
  return values;
}

Pick parse_pick(const JsonAt& json) {
  Pick pick;
  pick.class_id = json.at("class").integer(0, INT64_MAX);
  for (const JsonAt& patch : json.at("patches").list(kMostPatches)) pick.patches.push_back(parse_patch(patch));
  if (pick.patches.empty()) json.at("patches").fail("at least one patch", "none");
  const auto last = static_cast<int64_t>(pick.patches.size()) - 1;
  pick.anchor = static_cast<size_t>(json.at("anchor").integer(0, last));
  pick.drawn = static_cast<size_t>(json.at("drawn").integer(0, last));
  pick.distances = parse_per_patch(json, "d", pick.patches.size());
  pick.chances = parse_per_patch(json, "p", pick.patches.size());
  return pick;
}

}  // namespace

void MetricLines::add(std::string_view text, const std::string& name, bool& cut) {
  each_line(text, name, lines_, cut, [&](const Json& line, const std::string& where) {
    const int64_t iteration = iteration_of({line, where});
    for (const auto& [key, value] : line.items()) {
      if (key == "iteration") continue;
      const auto [found, added] = index_.try_emplace(key, metrics_.size());
      if (added) metrics_.push_back({.name = key});
      if (metrics_.size() > kMostMetrics)
        JsonAt(line, where).fail(fmt::format("at most {} metrics", kMostMetrics), "another, " + shown(key));
      Series& series = metrics_[found->second];
      while (!series.iterations.empty() && series.iterations.back() >= iteration) {
        series.iterations.pop_back();
        series.values.pop_back();
      }
      series.iterations.push_back(iteration);
      series.values.push_back(JsonAt(value, where, shown(key)).number_or_nan());
    }
  });
}

void SnapshotLines::add(std::string_view text, const std::string& name, bool& cut) {
  each_line(text, name, lines_, cut, [&](const Json& object, const std::string& where) {
    const JsonAt line(object, where);
    Snapshot snapshot{.iteration = iteration_of(line)};
    if (const auto list = line.find("histograms")) {
      for (const JsonAt& json : list->list(kMostHistograms)) {
        Histogram histogram = parse_histogram(json);
        const Histogram& like = first_.try_emplace(histogram.name, histogram).first->second;
        if (histogram.low != like.low || histogram.high != like.high || histogram.counts.size() != like.counts.size())
          json.fail(fmt::format("{} bins from {} to {} as in earlier lines", like.counts.size(), like.low, like.high),
                    fmt::format("{} from {} to {}", histogram.counts.size(), histogram.low, histogram.high));
        snapshot.histograms.push_back(std::move(histogram));
      }
    }
    if (const auto list = line.find("picks")) {
      for (const JsonAt& json : list->list(kMostPicks)) snapshot.picks.push_back(parse_pick(json));
    }
    while (!snapshots_.empty() && snapshots_.back().iteration >= snapshot.iteration) snapshots_.pop_back();
    snapshots_.push_back(std::move(snapshot));
  });
}

std::vector<Series> parse_metrics(std::string_view text, const std::string& name, bool& cut) {
  MetricLines lines;
  lines.add(text, name, cut);
  return lines.take();
}

std::vector<Snapshot> parse_snapshots(std::string_view text, const std::string& name, bool& cut) {
  SnapshotLines lines;
  lines.add(text, name, cut);
  return lines.take();
}

}  // namespace adasample
