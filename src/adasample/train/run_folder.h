// SPDX-License-Identifier: Apache-2.0
// A run on disk: config.toml (before the first step), metrics.jsonl (a line an iteration), model.safetensors (the last
// weights), best.safetensors (the best on validation data), result.json.
#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "adasample/base/metric_sink.h"
#include "adasample/train/trainer.h"

namespace adasample {

class RunFolder {
 public:
  // Creates the folder with config.toml in it; throws Error when it exists.
  RunFolder(const std::filesystem::path& folder, const std::string& config_toml);

  MetricSink& metrics() { return *metrics_; }
  const std::filesystem::path& path() const { return folder_; }

  // Writes weights and result.json; every file complete or absent.
  void save(const TrainResult& result, const TrainOptions& options);

 private:
  std::filesystem::path folder_;
  std::unique_ptr<JsonLinesSink> metrics_;
};

std::string_view to_string(TrainResult::End end);
nlohmann::ordered_json result_json(const TrainResult& result);

}  // namespace adasample
