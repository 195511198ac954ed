// SPDX-License-Identifier: Apache-2.0
// Where a run's figures go. `train` writes through this interface and so knows nothing of reports or event files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
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
  virtual void flush() {}
};

// One JSON object a line: {"iteration":12,"loss":0.93,...}; a value that is not finite is written as null.
class JsonLinesSink : public MetricSink {
 public:
  explicit JsonLinesSink(const std::filesystem::path& path);
  void record(const MetricRecord& record) override;
  void flush() override;

 private:
  FileWriter writer_;
};

// Keeps everything in memory: for tests and for the demo's table.
class MemorySink : public MetricSink {
 public:
  void record(const MetricRecord& record) override { records.push_back(record); }
  std::vector<MetricRecord> records;
};

}  // namespace adasample
