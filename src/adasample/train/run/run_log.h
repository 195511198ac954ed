// SPDX-License-Identifier: Apache-2.0
// All the files that a run's metrics go to: what a checkpoint counts the bytes of, and what a resumed run cuts back.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "adasample/train/run/event_file_sink.h"
#include "adasample/train/run/json_lines_sink.h"

namespace adasample {

class RunLog : public MetricSink {
 public:
  explicit RunLog(const std::filesystem::path& folder) : lines_(folder), events_(folder) {}
  void record(const MetricRecord& record) override {
    lines_.record(record);
    events_.record(record);
  }
  void snapshot(const nlohmann::ordered_json& snapshot) override {
    lines_.snapshot(snapshot);
    events_.snapshot(snapshot);
  }
  void flush() override {
    lines_.flush();
    events_.flush();
  }

  static const std::vector<std::string>& file_names() {
    static const std::vector<std::string> names = [] {
      std::vector<std::string> all = JsonLinesSink::file_names();
      all.emplace_back(EventFileSink::kFile);
      return all;
    }();
    return names;
  }
  // Bytes of each file, those not yet flushed included.
  std::map<std::string, uint64_t> sizes() const {
    std::map<std::string, uint64_t> all = lines_.sizes();
    all[EventFileSink::kFile] = events_.size();
    return all;
  }

 private:
  JsonLinesSink lines_;
  EventFileSink events_;
};

}  // namespace adasample
