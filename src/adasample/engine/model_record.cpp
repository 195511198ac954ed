// SPDX-License-Identifier: Apache-2.0
#include "adasample/engine/model_record.h"

#include <nlohmann/json.hpp>

#include "adasample/base/bytes/sha256.h"
#include "adasample/base/text.h"

namespace adasample {

nlohmann::ordered_json model_record(const OpenedModel& opened) {
  nlohmann::ordered_json record = {{"model", opened.model}, {"model_sha256", ""}, {"engine", opened.engine}};
  if (opened.file.empty()) return record;
  record["model_sha256"] = sha256_of_file(opened.file);
  const Weights weights = load_safetensors(opened.file);
  const auto named = weights.metadata.find("seed");
  uint64_t seed = 0;
  if (named != weights.metadata.end() && parse_number(named->second, seed)) record["model_seed"] = seed;
  return record;
}

}  // namespace adasample
