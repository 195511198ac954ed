// SPDX-License-Identifier: Apache-2.0
// Do the engines of this machine compute what they should? The work of `adasample check`.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace adasample {

inline constexpr const char* kUntrained = "untrained";  // as a model: random weights

struct EngineCheck {
  std::string engine = "auto";  // auto: all that are here
  std::string device = "auto";
  std::string against = "reference";
  std::string model, patches;  // no patches: procedural ones
  int64_t count = 64;
  uint64_t seed = 0;
  std::optional<double> max_error, max_angle;  // allowed; none: what the engine's arithmetic allows

  void validate() const;
};

struct EngineCheckResult {
  bool ok = true;
  nlohmann::ordered_json object;
  std::string text;
};

EngineCheckResult check_engines(const EngineCheck& check);

}  // namespace adasample
