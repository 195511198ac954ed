// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/metric_sink.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace adasample {

JsonLinesSink::JsonLinesSink(const std::filesystem::path& path) : writer_(path, /*append=*/true) {}

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
  writer_.write(line.dump() + "\n");
}

void JsonLinesSink::flush() { writer_.flush(); }

}  // namespace adasample
