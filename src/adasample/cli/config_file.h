// SPDX-License-Identifier: Apache-2.0
// --config FILE.toml: flat `name = value` lines, the names being the options' (without dashes). They apply to the
// command that was chosen; what the command line gives wins; an unknown name is an error.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace adasample {

struct ConfigValue {
  std::string name;
  std::vector<std::string> values;  // one, or those of an array
};

// Reads TOML; throws a usage Error naming line and column for a syntax error, a table, a date or a nested array.
// `label` names the file in messages.
std::vector<ConfigValue> parse_config(std::string_view text, const std::string& label);

// All of TOML but dates, as JSON: tables are objects, infinities numbers. Throws a usage Error naming line and column.
nlohmann::json parse_toml(std::string_view text, const std::string& label);

// The same file format, written: `name = value` with strings quoted as TOML wants it.
std::string toml_quote(std::string_view text);

class ConfigFile : public CLI::Config {
 public:
  explicit ConfigFile(const CLI::App& root) : root_(root) {}
  std::vector<CLI::ConfigItem> from_config(std::istream& input) const override;
  std::string to_config(const CLI::App*, bool, bool, std::string) const override { return ""; }

  const std::string& text() const { return *text_; }  // of the file, once it was read

 private:
  const CLI::App& root_;
  std::shared_ptr<std::string> text_ = std::make_shared<std::string>();  // from_config() is const
};

}  // namespace adasample
