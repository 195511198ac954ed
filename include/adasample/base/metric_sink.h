// SPDX-License-Identifier: Apache-2.0
// Where a run's figures go. `train` writes through this interface and so knows nothing of reports or event files.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

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

// Keeps everything in memory: for tests and for the demo's table.
class MemorySink : public MetricSink {
 public:
  void record(const MetricRecord& record) override { records.push_back(record); }
  std::vector<MetricRecord> records;
};

}  // namespace adasample
