// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/run/json_lines_sink.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace adasample {

const std::vector<std::string>& JsonLinesSink::file_names() {
  static const std::vector<std::string> names = {"metrics.jsonl", "snapshots.jsonl"};
  return names;
}

JsonLinesSink::JsonLinesSink(const std::filesystem::path& folder)
    : metrics_(folder / file_names()[0], /*append=*/true), snapshots_(folder / file_names()[1], /*append=*/true) {}

void JsonLinesSink::record(const MetricRecord& record) {
  nlohmann::ordered_json line;
  line["iteration"] = record.iteration;
  for (const auto& [name, value] : record.values) {
    if (std::isfinite(value)) {
      line[name] = value;
    } else {
      line[name] = nullptr;
    }
  }
  metrics_.write(line.dump() + "\n");
}

void JsonLinesSink::snapshot(const nlohmann::ordered_json& snapshot) { snapshots_.write(snapshot.dump() + "\n"); }

void JsonLinesSink::flush() {
  metrics_.flush();
  snapshots_.flush();
}

std::map<std::string, uint64_t> JsonLinesSink::sizes() const {
  return {{file_names()[0], metrics_.size()}, {file_names()[1], snapshots_.size()}};
}

}  // namespace adasample
