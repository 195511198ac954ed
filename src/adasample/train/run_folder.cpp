// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/run_folder.h"

#include <nlohmann/json.hpp>

#include "adasample/base/error.h"
#include "adasample/base/file_io.h"
#include "adasample/base/text.h"

namespace adasample {

RunFolder::RunFolder(const std::filesystem::path& folder, const std::string& config_toml) : folder_(folder) {
  refuse_existing(folder);
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  ADA_CHECK(!error, "[run] {}: cannot be created: {}", folder.string(), error.message());
  try {
    write_file_atomically(folder / "config.toml", config_toml);
    metrics_ = std::make_unique<JsonLinesSink>(folder / "metrics.jsonl");
  } catch (...) {
    remove_tree(folder);  // it was ours and empty; the first error is the one to report
    throw;
  }
}

std::string_view to_string(TrainResult::End end) {
  switch (end) {
    case TrainResult::End::kComplete:
      return "complete";
    case TrainResult::End::kStopped:
      return "stopped";
    case TrainResult::End::kCollapsed:
      return "collapsed";
    case TrainResult::End::kNotFinite:
      return "not finite";
  }
  ADA_THROW_KIND(kBug, "unknown TrainResult::End");
}

nlohmann::ordered_json result_json(const TrainResult& result) {
  nlohmann::ordered_json json = {{"end", to_string(result.end)},
                                 {"iterations", result.iterations},
                                 {"pairs", result.pairs},
                                 {"seconds", result.seconds},
                                 {"pairs_per_s", result.seconds > 0 ? result.pairs / result.seconds : 0.0}};
  if (!result.reason.empty()) json["reason"] = result.reason;
  if (result.best) json["best_val_score"] = result.best_score;
  return json;
}

void RunFolder::save(const TrainResult& result, const TrainOptions& options) {
  metrics_->flush();
  const auto describe = [&](Weights weights) {
    weights.metadata["sampler"] = options.sampler;
    weights.metadata["loss"] = options.loss.name;
    weights.metadata["lambda"] = fmt::format("{}", options.lambda);
    weights.metadata["batch"] = std::to_string(options.batch);
    weights.metadata["seed"] = std::to_string(options.seed);
    weights.metadata["pairs"] = std::to_string(result.pairs);
    // Metadata must be UTF-8, and a path in config.toml may be anything: no run is lost over it.
    weights.metadata["training"] = as_utf8(read_text(folder_ / "config.toml"));
    return weights;
  };
  save_safetensors(describe(result.weights), folder_ / "model.safetensors");
  if (result.best) save_safetensors(describe(*result.best), folder_ / "best.safetensors");
  write_file_atomically(folder_ / "result.json", result_json(result).dump(2) + "\n");
}

}  // namespace adasample
