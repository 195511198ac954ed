// SPDX-License-Identifier: Apache-2.0
// Reference figures of tests/golden.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace adasample::testing {

inline nlohmann::json golden(const std::string& name) {
  std::ifstream file(std::string(ADASAMPLE_SOURCE_DIR) + "/tests/golden/" + name);
  return nlohmann::json::parse(file);  // throws when the file is missing
}

}  // namespace adasample::testing
