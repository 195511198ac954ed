// SPDX-License-Identifier: Apache-2.0
// A run's metrics as TensorBoard reads them: an event file, which is records of
//   length u64, masked crc32c of the length u32, an Event as protobuf, masked crc32c of that u32; all little-endian
// Scalars are training/NAME and val/score by iteration, one event per iteration; the sampler's picks are pictures: the
// anchor, then its candidates, the one that was drawn in a white frame.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "adasample/base/files/file_writer.h"
#include "adasample/base/metric_sink.h"

namespace adasample {

class EventFileSink : public MetricSink {
 public:
  // TensorBoard goes by "tfevents" in the name. A run has one such file, which is cut and continued like its other
  // logs.
  static constexpr const char* kFile = "events.out.tfevents.0000000000.adasample.0.0";

  // Appends to what is there.
  explicit EventFileSink(const std::filesystem::path& folder);
  void record(const MetricRecord& record) override;
  void snapshot(const nlohmann::ordered_json& snapshot) override;
  void flush() override { file_.flush(); }
  uint64_t size() const { return file_.size(); }

 private:
  void write_event(int64_t step, std::string_view field);

  FileWriter file_;
};

}  // namespace adasample
