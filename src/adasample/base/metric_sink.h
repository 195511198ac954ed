// SPDX-License-Identifier: Apache-2.0
// Where a run's figures go. `train` writes through this interface and so knows nothing of reports or event files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "adasample/base/file_io.h"

namespace adasample {

struct MetricRecord {
  int64_t iteration = 0;
  std::vector<std::pair<std::string, double>> values;  // in the order to be shown
};

class MetricSink {
 public:
  virtual ~MetricSink() = default;
  virtual void record(const MetricRecord& record) = 0;
  // A closer look at one iteration, now and then: histograms and pictures (docs/formats.md).
  virtual void snapshot(const nlohmann::ordered_json&) {}
  virtual void flush() {}
};

// One JSON object a line: {"iteration":12,"loss":0.93,...} in metrics.jsonl, snapshots in snapshots.jsonl; a value that
// is not finite is written as null. Appends to what is there.
class JsonLinesSink : public MetricSink {
 public:
  explicit JsonLinesSink(const std::filesystem::path& folder);
  void record(const MetricRecord& record) override;
  void snapshot(const nlohmann::ordered_json& snapshot) override;
  void flush() override;

  static const std::vector<std::string>& file_names();
  // Bytes of each file, those not yet flushed included.
  std::map<std::string, uint64_t> sizes() const;

 private:
  FileWriter metrics_, snapshots_;
};

// Keeps everything in memory: for tests and for the demo's table.
class MemorySink : public MetricSink {
 public:
  void record(const MetricRecord& record) override { records.push_back(record); }
  std::vector<MetricRecord> records;
};

}  // namespace adasample
