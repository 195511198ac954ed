// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "adasample/base/error.h"
#include "adasample/cli/config_file.h"

namespace adasample {

std::vector<ConfigValue> parse_config(std::string_view, const std::string& label) {
  ADA_THROW_KIND(
      kUsage, "[config] {}: this program was built without toml++ and cannot read --config; give the options as flags",
      label);
}

nlohmann::json parse_toml(std::string_view, const std::string& label) {
  ADA_THROW_KIND(kUsage, "[config] {}: this program was built without toml++ - write the same as .json", label);
}

}  // namespace adasample
