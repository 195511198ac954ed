// SPDX-License-Identifier: Apache-2.0
#include "adasample/report/run_data.h"

#include <algorithm>

#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/report/json_at.h"

namespace adasample {
namespace {

constexpr size_t kMostCurvePoints = 1'000'000, kMostStores = 1000, kMostChanges = 10000, kMostRanks = 1 << 16;

double share(const JsonAt& json) {
  const double value = json.number();
  if (!(value >= 0 && value <= 1)) json.fail("a share from 0 to 1", json.value().dump());
  return value;
}

std::vector<std::pair<double, double>> parse_curve(const JsonAt& json) {
  std::vector<std::pair<double, double>> points;
  for (const JsonAt& point : json.list(kMostCurvePoints)) {
    const auto pair = point.list(2);
    if (pair.size() != 2) point.fail("two numbers", std::to_string(pair.size()));
    points.emplace_back(share(pair[0]), share(pair[1]));
  }
  return points;
}

StoreInfo parse_store(const JsonAt& json, const std::string& role) {
  StoreInfo store{.role = role};
  store.path = json.at("path").text();
  for (const auto& [key, field] : {std::pair("patches", &StoreInfo::patches), std::pair("classes", &StoreInfo::classes),
                                   std::pair("patch_size", &StoreInfo::patch_size)})
    store.*field = json.at(key).integer(0, INT64_MAX);
  if (const auto sha = json.find("sha256")) store.sha256 = sha->text();
  if (const auto sha = json.find("sample_sha256")) store.sample_sha256 = sha->text();
  return store;
}

}  // namespace

std::string folder_name(const std::filesystem::path& folder) {
  std::error_code error;
  const auto absolute = std::filesystem::weakly_canonical(folder, error);
  const std::string name = (error ? folder : absolute).filename().string();
  return name.empty() ? folder.string() : name;
}

const Series* RunData::metric(std::string_view metric_name) const {
  const auto found =
      std::find_if(metrics.begin(), metrics.end(), [&](const Series& s) { return s.name == metric_name; });
  return found == metrics.end() ? nullptr : &*found;
}

NamedCurves parse_curves(std::string_view text, const std::string& name) {
  const Json object = parse_object(text, name);
  const JsonAt json(object, name);
  NamedCurves curves;
  if (const auto own = json.find("name")) curves.name = own->text();
  curves.fpr95 = share(json.at("fpr95"));
  curves.ap = share(json.at("ap"));
  curves.auc = share(json.at("auc"));
  curves.roc = parse_curve(json.at("roc"));
  curves.pr = parse_curve(json.at("pr"));
  return curves;
}

RunResult parse_run_result(std::string_view text, const std::string& name) {
  const Json object = parse_object(text, name);
  const JsonAt json(object, name);
  RunResult result;
  result.end = json.at("end").text();
  if (const auto reason = json.find("reason")) result.reason = reason->text();
  result.iterations = json.at("iterations").integer(0, INT64_MAX);
  result.pairs = json.at("pairs").integer(0, INT64_MAX);
  result.seconds = json.at("seconds").number();
  result.pairs_per_s = json.at("pairs_per_s").number();
  if (const auto best = json.find("best_val_score")) result.best_val_score = best->number();
  if (const auto ranks = json.find("ranks")) {
    for (const JsonAt& rank : ranks->list(kMostRanks)) {
      result.ranks.push_back({rank.at("place").text(), rank.at("waited_s").number()});
    }
  }
  return result;
}

void parse_run_info(std::string_view text, const std::string& name, RunData& run) {
  const Json object = parse_object(text, name);
  const JsonAt json(object, name);
  if (const auto data = json.find("data")) {
    for (const JsonAt& store : data->list(kMostStores)) run.stores.push_back(parse_store(store, "training"));
  }
  if (const auto val = json.find("val")) run.stores.push_back(parse_store(*val, "validation"));
  if (const auto changes = json.find("changes")) {
    for (const JsonAt& change : changes->list(kMostChanges)) {
      std::string what;
      for (const JsonAt& one : change.at("what").list(kMostChanges)) what += (what.empty() ? "" : "; ") + one.text();
      run.notes.push_back(
          fmt::format("Changed at iteration {}: {}.", change.at("iteration").integer(0, int64_t{1} << 53), what));
    }
  }
  for (const auto& [key, value] : object.items()) {
    if (value.is_primitive() && !value.is_null())
      run.facts.emplace_back(key, value.is_string() ? value.get<std::string>() : value.dump());
  }
}

RunData read_run(const std::filesystem::path& folder) {
  ADA_CHECK(std::filesystem::is_directory(folder), "[report] {}: expected a run folder, found {}", folder.string(),
            std::filesystem::exists(folder) ? "a file" : "nothing there");
  const auto metrics = folder / "metrics.jsonl";
  ADA_CHECK(std::filesystem::exists(metrics),
            "[report] {}: expected a run folder with metrics.jsonl, found none - `adasample train --out` makes one",
            folder.string());
  RunData run;
  run.name = folder_name(folder);
  // Calls `parse` with text and name of a file of the folder, or notes that it is not there.
  const auto with = [&](const char* file, const char* lost, const auto& parse) {
    const auto path = folder / file;
    if (std::filesystem::exists(path)) return parse(read_text(path), path.string());
    run.notes.push_back(fmt::format("{} is missing: {}.", file, lost));
  };
  const auto note_cut = [&](const char* file, bool cut) {
    if (cut) run.notes.push_back(fmt::format("The last line of {} is cut off and was left out.", file));
  };
  using Text = const std::string&;
  bool cut = false;
  with("metrics.jsonl", "", [&](Text text, Text name) { run.metrics = parse_metrics(text, name, cut); });
  note_cut("metrics.jsonl", cut);
  if (run.metrics.empty()) run.notes.emplace_back("metrics.jsonl holds no iteration yet.");
  with("config.toml", "no configuration", [&](Text text, Text) { run.config = text; });
  with("result.json", "the run is still going or was killed",
       [&](Text text, Text name) { run.result = parse_run_result(text, name); });
  with("run.json", "no data sets, device and version", [&](Text text, Text name) { parse_run_info(text, name, run); });
  cut = false;
  with("snapshots.jsonl", "no histograms and no picks",
       [&](Text text, Text name) { run.snapshots = parse_snapshots(text, name, cut); });
  note_cut("snapshots.jsonl", cut);
  with("curves.json", "no ROC and precision-recall curves",
       [&](Text text, Text name) { run.curves = parse_curves(text, name); });
  return run;
}

}  // namespace adasample
