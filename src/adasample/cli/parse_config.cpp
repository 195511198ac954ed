// SPDX-License-Identifier: Apache-2.0
// parse_config by toml++.
#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "adasample/base/error.h"
#include "adasample/base/json.h"
#include "adasample/cli/config_file.h"

namespace adasample {
namespace {

std::string scalar_text(const toml::node& node, std::string_view name, const std::string& label) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* whole = node.as_integer()) return std::to_string(whole->get());
  if (const auto* real = node.as_floating_point()) return fmt::format("{}", real->get());  // shortest that reads back
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  ADA_THROW_KIND(kUsage, "[config] {}:{}: '{}' must be a string, a number, true, false or a list of those", label,
                 node.source().begin.line, name);
}

// Whether brackets or dotted keys (a.b.c) nest more deeply than JSON may: the parser takes any number of dots.
bool nests_too_deeply(std::string_view text) {
  int brackets = 0, dots = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' || c == '\'') {
      const std::string_view three = text.substr(i, 3);
      const bool lines = three.size() == 3 && three[1] == c && three[2] == c;
      const std::string_view quote = lines ? three : text.substr(i, 1);
      for (i += quote.size(); i < text.size() && !text.substr(i).starts_with(quote); ++i) {
        if (c == '"' && text[i] == '\\') ++i;
        if (!lines && i < text.size() && text[i] == '\n') break;
      }
      i += quote.size() - 1;
    } else if (c == '#') {
      while (i + 1 < text.size() && text[i + 1] != '\n') ++i;
    } else if (c == '.') {
      ++dots;
    } else if (c == '[' || c == '{') {
      ++brackets;
      dots = 0;
    } else if (c == ']' || c == '}') {
      brackets = std::max(0, brackets - 1);
      dots = 0;
    } else if (c == '=' || c == ',' || c == '\n') {
      dots = 0;
    }
    if (brackets + dots > kMostDepth) return true;
  }
  return false;
}

toml::table parse_table(std::string_view text, const std::string& label) {
  if (nests_too_deeply(text)) {
    ADA_THROW_KIND(kUsage, "[config] {}: brackets or dotted keys nested more than {} deep", label, kMostDepth);
  }
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    std::string what(error.description());
    for (char& c : what) c = c == '\n' ? ' ' : c;
    ADA_THROW_KIND(kUsage, "[config] {}:{}:{}: {}", label, error.source().begin.line, error.source().begin.column,
                   what);
  }
}

nlohmann::json as_json(const toml::node& node, std::string_view name, const std::string& label) {
  if (const toml::table* table = node.as_table()) {
    nlohmann::json object = nlohmann::json::object();
    for (const auto& [key, value] : *table) object[std::string(key.str())] = as_json(value, key.str(), label);
    return object;
  }
  if (const toml::array* array = node.as_array()) {
    nlohmann::json list = nlohmann::json::array();
    for (const toml::node& element : *array) list.push_back(as_json(element, name, label));
    return list;
  }
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* whole = node.as_integer()) return whole->get();
  if (const auto* real = node.as_floating_point()) return real->get();
  if (const auto* flag = node.as_boolean()) return flag->get();
  ADA_THROW_KIND(kUsage, "[config] {}:{}: '{}' must not be a date or a time", label, node.source().begin.line, name);
}

}  // namespace

nlohmann::json parse_toml(std::string_view text, const std::string& label) {
  return as_json(parse_table(text, label), "the file", label);
}

std::vector<ConfigValue> parse_config(std::string_view text, const std::string& label) {
  const toml::table table = parse_table(text, label);
  std::vector<ConfigValue> values;
  for (const auto& [key, node] : table) {
    ConfigValue value{std::string(key.str()), {}};
    if (const toml::array* array = node.as_array()) {
      for (const toml::node& element : *array) value.values.push_back(scalar_text(element, key.str(), label));
    } else {
      value.values.push_back(scalar_text(node, key.str(), label));
    }
    values.push_back(std::move(value));
  }
  return values;
}

}  // namespace adasample
