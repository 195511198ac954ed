// SPDX-License-Identifier: Apache-2.0
// A run's metrics as the files of its folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "adasample/base/files/file_writer.h"
#include "adasample/base/metric_sink.h"

namespace adasample {

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

}  // namespace adasample
