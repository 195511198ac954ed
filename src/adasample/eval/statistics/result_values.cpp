// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/statistics/result_values.h"

#include <nlohmann/json.hpp>

#include "adasample/base/error.h"
#include "adasample/base/text.h"

namespace adasample {
namespace {

using nlohmann::json;

std::string keys_of(const json& object) {
  std::string keys;
  constexpr size_t kShown = 12;
  size_t count = 0;
  for (const auto& entry : object.items()) {
    if (count++ == kShown) return keys + ", ..";
    keys += (keys.empty() ? "" : ", ") + shown(entry.key());
  }
  return keys.empty() ? "nothing" : keys;
}

// What stands at the end of the path.
const json& follow(const json& object, std::string_view figure, const std::string& name) {
  const json* place = &object;
  while (!figure.empty()) {
    const size_t dot = figure.find('.');
    const std::string key(figure.substr(0, dot));
    ADA_CHECK(place->is_object() && place->contains(key), "[result] {}: expected the key {}, found {}", name,
              shown(key), place->is_object() ? keys_of(*place) : std::string(place->type_name()));
    place = &place->at(key);
    figure = dot == std::string_view::npos ? std::string_view() : figure.substr(dot + 1);
  }
  return *place;
}

double number(const json& value, std::string_view figure, const std::string& name) {
  ADA_CHECK(value.is_number(), "[result] {}: expected a number under {}, found {}", name, shown(figure),
            value.is_object() ? "the keys " + keys_of(value) : std::string(value.type_name()));
  return value.get<double>();
}

std::string in_words(const json& value) {
  return shown(value.is_string() ? value.get_ref<const std::string&>() : value.dump());
}

}  // namespace

json parse_result(std::string_view text, const std::string& name) {
  json result;
  try {
    result = json::parse(text);
  } catch (const json::exception& error) {
    ADA_THROW("[result] {}: expected a JSON object, found {} - a result file is what eval writes with --out", name,
              shown(error.what()));
  }
  ADA_CHECK(result.is_object(), "[result] {}: expected a JSON object, found {}", name, result.type_name());
  return result;
}

double result_value(const json& result, const std::string& figure, const std::string& name) {
  return number(follow(result, figure, name), figure, name);
}

std::map<std::string, double> sequence_values(const json& result, const std::string& figure, const std::string& name) {
  const json& sequences = follow(result, "sequences", name);
  ADA_CHECK(sequences.is_object(), "[result] {}: expected an object under \"sequences\", found {}", name,
            sequences.type_name());
  std::map<std::string, double> values;
  for (const auto& [sequence, figures] : sequences.items()) {
    const std::string place = fmt::format("{}, sequence {}", name, shown(sequence));
    const json& value = follow(figures, figure, place);
    if (!value.is_null()) values[sequence] = number(value, figure, place);
  }
  ADA_CHECK(!values.empty(), "[result] {}: no sequence has a number under {}", name, shown(figure));
  return values;
}

std::pair<std::vector<double>, std::vector<double>> pair_by_sequence(const std::map<std::string, double>& a,
                                                                     const std::map<std::string, double>& b) {
  std::pair<std::vector<double>, std::vector<double>> values;
  for (const auto& [sequence, value] : a) {
    const auto other = b.find(sequence);
    ADA_CHECK(other != b.end(), "[compare] sequence {} has a value on the first side only", shown(sequence));
    values.first.push_back(value);
    values.second.push_back(other->second);
  }
  for (const auto& entry : b) {
    ADA_CHECK(a.contains(entry.first), "[compare] sequence {} has a value on the second side only", shown(entry.first));
  }
  return values;
}

std::vector<std::string> differing_settings(const std::map<std::string, json>& results) {
  std::vector<std::string> differences;
  for (const std::string key : {"protocol", "split", "dist", "list", "detector", "size", "data_sha256"}) {
    const std::pair<const std::string, json>* first = nullptr;
    for (const auto& entry : results) {
      const json& result = entry.second;
      if (!result.contains(key)) continue;
      if (key == "data_sha256" && !result.contains("model") && !result.contains("descriptors")) continue;
      if (first == nullptr) first = &entry;
      if (result.at(key) == first->second.at(key)) continue;
      differences.push_back(fmt::format("{} differs: {} in {}, {} in {}", key, in_words(first->second.at(key)),
                                        first->first, in_words(result.at(key)), entry.first));
      break;
    }
  }
  return differences;
}

}  // namespace adasample
