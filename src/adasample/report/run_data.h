// SPDX-License-Identifier: Apache-2.0
// What a run folder holds, as a page about it needs it. Folders are read as foreign: of a run that is still going or
// was killed, by another version, or by another program.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adasample/image/image.h"

namespace adasample {

// One metric: iterations ascend, NaN stands for null.
struct Series {
  std::string name;
  std::vector<int64_t> iterations = {};
  std::vector<double> values = {};  // as many
};

struct Histogram {
  std::string name;
  double low = 0, high = 1;     // of all bins together; each is equally wide
  std::vector<int64_t> counts;  // at least one bin, none negative
};

// What the sampler did with one class: patches [anchor] and [drawn] became a pair.
struct Pick {
  int64_t class_id = 0;
  size_t anchor = 0, drawn = 0;
  std::vector<ByteImage> patches = {};               // at least one, square
  std::vector<double> distances = {}, chances = {};  // a patch each: to the anchor, of being drawn; NaN where not known
};

struct Snapshot {
  int64_t iteration = 0;
  std::vector<Histogram> histograms = {};
  std::vector<Pick> picks = {};
};

// Verification curves; shares in 0..1.
struct NamedCurves {
  std::string name;
  double fpr95 = 0, ap = 0, auc = 0;
  std::vector<std::pair<double, double>> roc;  // false positive rate, recall
  std::vector<std::pair<double, double>> pr;   // recall, precision
};

struct StoreInfo {
  std::string role, path = {}, sha256 = {}, sample_sha256 = {};  // role: "training" or "validation"; a hash may be ""
  int64_t patches = 0, classes = 0, patch_size = 0;
};

struct RunResult {
  std::string end, reason;  // reason: "" where it was not cut short
  int64_t iterations = 0, pairs = 0;
  double seconds = 0, pairs_per_s = 0;
  std::optional<double> best_val_score;
  struct Rank {
    std::string place;
    double waited = 0;  // seconds
  };
  std::vector<Rank> ranks = {};  // of a run in several processes
};

struct RunData {
  std::string name;             // the folder's
  std::string config;           // text of config.toml
  std::vector<Series> metrics;  // in the order they first occur
  std::vector<Snapshot> snapshots;
  std::optional<NamedCurves> curves;
  std::optional<RunResult> result;  // nothing: not finished
  std::vector<StoreInfo> stores;
  std::vector<std::pair<std::string, std::string>> facts;  // the plain values of run.json, by name
  std::vector<std::string> notes;                          // one sentence each on what is missing or cut off

  const Series* metric(std::string_view metric_name) const;  // null: there is none
};

// Only metrics.jsonl must be there. Throws Error with file and line on anything malformed, but leaves out the last line
// of a .jsonl file that is cut off.
RunData read_run(const std::filesystem::path& folder);

// "runs/a/" and "." have names too.
std::string folder_name(const std::filesystem::path& folder);

// `name = value` lines of a config.toml, as `train` writes them; a [section] goes before the names. No reader of all of
// TOML: what does not look like this is left out.
std::vector<std::pair<std::string, std::string>> config_entries(const std::string& toml);

// The readers of single files; `name` is used in messages. `cut` tells that the last line was cut off and left out.
// Where iterations step back, a run was resumed: what was recorded from there on is replaced.
std::vector<Series> parse_metrics(std::string_view text, const std::string& name, bool& cut);
std::vector<Snapshot> parse_snapshots(std::string_view text, const std::string& name, bool& cut);
NamedCurves parse_curves(std::string_view text, const std::string& name);
RunResult parse_run_result(std::string_view text, const std::string& name);
void parse_run_info(std::string_view text, const std::string& name, RunData& run);  // stores and facts

}  // namespace adasample
