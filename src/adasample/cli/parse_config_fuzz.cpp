// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "adasample/base/error.h"
#include "adasample/cli/config_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    adasample::parse_toml({reinterpret_cast<const char*>(data), size}, "fuzz");
    for (const auto& value : adasample::parse_config({reinterpret_cast<const char*>(data), size}, "fuzz")) {
      // What was read must survive being written and read again.
      for (const auto& text : value.values) {
        const auto again = adasample::parse_config("x = " + adasample::toml_quote(text), "fuzz");
        if (again.size() != 1 || again[0].values != std::vector<std::string>{text}) __builtin_trap();
      }
    }
  } catch (const adasample::Error&) {
  }
  return 0;
}
