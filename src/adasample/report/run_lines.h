// SPDX-License-Identifier: Apache-2.0
// The two files of a run that grow. Text may come in pieces that end with a newline: what was read stays, and only what
// is new is parsed. Throw Error with file and line on anything malformed; `cut` tells that the last line of a piece was
// cut off and left out.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "adasample/report/run_data.h"

namespace adasample {

// Where iterations step back, a run was resumed: what was recorded from there on is replaced.
class MetricLines {
 public:
  void add(std::string_view text, const std::string& name, bool& cut);
  const std::vector<Series>& all() const { return metrics_; }
  std::vector<Series> take() { return std::move(metrics_); }

 private:
  int64_t lines_ = 0;
  std::vector<Series> metrics_;                    // in the order they first occur
  std::unordered_map<std::string, size_t> index_;  // into metrics_, by name
};

class SnapshotLines {
 public:
  void add(std::string_view text, const std::string& name, bool& cut);
  const std::vector<Snapshot>& all() const { return snapshots_; }
  std::vector<Snapshot> take() { return std::move(snapshots_); }

 private:
  int64_t lines_ = 0;
  std::vector<Snapshot> snapshots_;
  std::map<std::string, Histogram> first_;  // by name: all of one name have the same bins
};

}  // namespace adasample
